import { readManifest } from "@muster/protocol/manifest";
import { describe, expect, test } from "vitest";
import { channelName, isSmart, type Subscription, subscriptionsOf } from "./subscription.js";

function subscribe(subscription: object, private_settings: Record<string, unknown> = {}): Subscription {
  const manifest = readManifest({ subscriptions: [{ url: "/notify", ...subscription }] });
  return subscriptionsOf(manifest, { settings: {}, private_settings }, "Connector")[0]!;
}

test.each(["smart-notifier", "kraken", "kraken-exports"])("the tag %s asks for flow control", (tag) => {
  expect(isSmart(readManifest({ tags: ["outgoing", tag] }))).toBe(true);
});

test("without one of these tags there is no flow control", () => {
  expect(isSmart(readManifest({ tags: ["outgoing", "batch"] }))).toBe(false);
});

describe("channels", () => {
  test("a subscription that names no channels takes all", () => {
    expect(channelName(subscribe({}), "user:delete")).toBe("user:delete");
    expect(channelName(subscribe({}), "accounts_segment:update")).toBe("accounts_segment:update");
  });

  test("the whitelist in the conditions decides, also when there are handlers", () => {
    const only = subscribe({
      conditions: { channels: { only: ["account:update"] } },
      channels: [{ channel: "user:update", handler: "update" }],
    });
    expect(channelName(only, "account:update")).toBe("account:update");
    expect(channelName(only, "user:update")).toBeUndefined();
  });

  test("handlers decide where there is no whitelist", () => {
    const handled = subscribe({ channels: [{ channel: "user:update", handler: "update" }] });
    expect(channelName(handled, "user:update")).toBe("user:update");
    expect(channelName(handled, "ship:update")).toBeUndefined();
  });

  test("an empty whitelist takes nothing", () => {
    expect(channelName(subscribe({ conditions: { channels: { only: [] } } }), "user:update")).toBeUndefined();
  });

  test("the older name for segments covers those of users and of accounts, and the exact name comes first", () => {
    const general = subscribe({ conditions: { channels: { only: ["segment:update"] } } });
    expect(channelName(general, "users_segment:update")).toBe("segment:update");
    expect(channelName(general, "accounts_segment:update")).toBe("segment:update");
    expect(channelName(general, "users_segment:delete")).toBeUndefined();
    const both = subscribe({ conditions: { channels: { only: ["segment:update", "users_segment:update"] } } });
    expect(channelName(both, "users_segment:update")).toBe("users_segment:update");
  });
});

describe("the filter by segments", () => {
  const conditions = { segments: { "user:update": ["private_settings.leads", "private_settings.clients"] } };

  test("has what all of its settings list", () => {
    const { filters } = subscribe({ conditions }, { leads: ["a", "ALL"], clients: "b" });
    expect(filters).toEqual({ user: new Set(["a", "ALL", "b"]) });
  });

  test("lists nothing while its settings are not set", () => {
    expect(subscribe({ conditions }).filters).toEqual({ user: new Set() });
  });

  test("is missing for the kind of subjects that has no setting", () => {
    expect(subscribe({}).filters).toEqual({});
  });
});

describe("the events that a subscription gets", () => {
  const channels = [{ channel: "user:update", "events-whitelist": ["private_settings.events"] }];
  test.each([
    ["those of the setting", { events: ["Bought"] }, new Set(["Bought"])],
    ["none when the list is empty", { events: [] }, new Set()],
    ["all when the setting was never set", {}, undefined],
    ["all when the setting says so", { events: ["ALL"] }, undefined],
  ])("are %s", (_name, values, expected) => {
    expect(subscribe({ channels }, values).events).toEqual(expected);
  });
});
