import { segmentRecord, userMessage } from "@muster/connector/testing";
import type { EventRecord, UserUpdateMessage } from "@muster/protocol";
import type { OutgoingEvent } from "../events/outgoing-event.js";
import { userEvents } from "../events/user-events.js";

export const SEGMENT = segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e5", name: "VIP customers" });
export const OTHER_SEGMENT = segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e6", name: "Trial users" });

const USER = {
  id: "0198c2a4f1d010a1b2c3d4e5",
  external_id: "5f0c7a52-6a43-4b6e-9d3c-1f0a5f2f8b11",
  email: "ada@example.com",
  name: "Ada Lovelace",
  first_name: "Ada",
  last_name: "Lovelace",
  phone: "+14155550123",
  anonymous_ids: ["device-1"],
  created_at: "2026-01-01T00:00:00.000Z",
  address_city: "London",
  traits_plan: "pro",
  traits_gender: "f",
  traits_birthday: "1990-12-10",
  traits_address: { street: "1 Main Street", city: "San Francisco", state: "CA", country: "US", postalCode: "94103" },
  "traits_crm/stage": "won",
};

/** What a shop and an app tell of an event: the names of Segment's specification for commerce and for apps. */
const PROPERTIES = {
  order_id: "order-1",
  checkout_id: "checkout-1",
  cart_id: "cart-1",
  product_id: "product-1",
  sku: "sku-1",
  query: "tea",
  search_term: "tea",
  name: "Tea",
  category: "Drinks",
  brand: "Leaf",
  price: 12.5,
  quantity: 2,
  revenue: 25,
  value: 25,
  total: 25,
  currency: "EUR",
  list_id: "list-1",
  url: "https://shop.example.com/tea",
  image_url: "https://shop.example.com/tea.png",
  title: "Tea",
  path: "/tea",
  email: "ada@example.com",
  coupon: "SPRING",
  products: [
    {
      product_id: "product-1",
      sku: "sku-1",
      name: "Tea",
      category: "Drinks",
      brand: "Leaf",
      price: 12.5,
      quantity: 2,
      currency: "EUR",
      url: "https://shop.example.com/tea",
    },
  ],
};

const CONTEXT = {
  ip: "203.0.113.7",
  locale: "en-GB",
  timezone: "Europe/London",
  userAgent:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1",
  page: {
    url: "https://shop.example.com/tea",
    path: "/tea",
    title: "Tea",
    referrer: "https://example.com/",
    search: "",
  },
  app: { name: "Shop", version: "1.0", build: "1", namespace: "com.example.shop" },
  device: {
    id: "device-1",
    advertisingId: "ad-1",
    type: "ios",
    manufacturer: "Apple",
    model: "iPhone",
    token: "push-1",
    adTrackingEnabled: true,
  },
  os: { name: "iOS", version: "17.0" },
  library: { name: "muster", version: "1" },
  campaign: { source: "mail", medium: "email", name: "spring" },
};

export function sampleEvent(event: string, more: Partial<EventRecord> = {}): EventRecord {
  return {
    event,
    event_id: `event-${event}`,
    event_source: "shop",
    event_type: "track",
    created_at: "2026-01-01T00:00:00.000Z",
    user_id: USER.id,
    anonymous_id: "device-1",
    session_id: null,
    properties: PROPERTIES,
    context: CONTEXT,
    ...more,
  };
}

/** A user with everything that mappings look for, who has entered and left a segment. */
export function sampleMessage(events: readonly string[] = []): UserUpdateMessage {
  return userMessage({
    message_id: "message-1",
    user: USER,
    account: {
      id: "0198c2a4f1d011a1b2c3d4e5",
      external_id: "account-1",
      name: "Analytical Engines",
      domain: "example.com",
    },
    segments: [SEGMENT],
    events: events.map((name) => sampleEvent(name)),
    changes: {
      is_new: true,
      segments: { entered: [SEGMENT], left: [SEGMENT] },
    },
  });
}

/** All kinds of events of the sample, and those with these names. */
export function sampleEvents(
  names: readonly string[],
  audienceSettings: Record<string, unknown> = {},
): OutgoingEvent[] {
  const audiences = new Map([[SEGMENT.id, { segmentId: SEGMENT.id, key: "vip_customers", externalId: "audience-1" }]]);
  const settings = { audiences, audienceSettings, isBatch: false, now: new Date("2026-01-01T00:00:00.000Z") };
  return userEvents(sampleMessage(["Page viewed", "Screen viewed", "Signed up", ...names]), settings);
}
