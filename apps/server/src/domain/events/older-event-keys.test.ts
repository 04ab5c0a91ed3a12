import { expect, test } from "vitest";
import { withOlderKeys } from "./older-event-keys.js";

test("an event has its properties as a list, its source, its type and a flat context beside its own keys", () => {
  const event = {
    id: "1",
    event: "Bought",
    event_source: "shop",
    event_type: "track",
    properties: {
      name: "Boat",
      price: 12.5,
      gift: false,
      paid_at: "2026-05-01",
      said_at: "yesterday",
      sizes: ["s", "m"],
      box: { width: 3 },
      none: null,
    },
    context: {
      ip: "8.8.8.8",
      page: { url: "https://shop.test/boat", host: "shop.test" },
      location: { country: "FR" },
      campaign: { name: "Spring" },
    },
  };
  expect(withOlderKeys(event)).toEqual({
    ...event,
    source: "shop",
    type: "track",
    props: [
      { field_name: "name", text_value: "Boat" },
      { field_name: "price", num_value: 12.5 },
      { field_name: "gift", bool_value: false },
      { field_name: "paid_at", date_value: "2026-05-01T00:00:00.000Z" },
      { field_name: "said_at", text_value: "yesterday" },
      { field_name: "sizes", text_value: '["s","m"]' },
      { field_name: "box", text_value: '{"width":3}' },
    ],
    context: {
      ...event.context,
      page_url: "https://shop.test/boat",
      page_host: "shop.test",
      location_country: "FR",
      campaign_name: "Spring",
    },
  });
});

test("an own key of the context is not overwritten, and an event without properties has an empty list", () => {
  const event = { event_source: "", event_type: "track", context: { page: { url: "nested" }, page_url: "own" } };
  expect(withOlderKeys(event)).toMatchObject({ props: [], context: { page_url: "own" } });
});
