import { readManifest } from "@muster/protocol/manifest";
import { describe, expect, test } from "vitest";
import {
  channelName,
  isSmart,
  isToldAbout,
  matchesFilter,
  type SegmentFilter,
  type Subscription,
  subscriptionsOf,
} from "./subscription.js";

function subscribe(subscription: object, private_settings: Record<string, unknown> = {}): Subscription {
  const manifest = readManifest({ subscriptions: [{ url: "/notify", ...subscription }] });
  return subscriptionsOf(manifest, { settings: {}, private_settings })[0]!;
}

test.each(["smart-notifier", "kraken", "kraken-exports"])("the tag %s asks for flow control", (tag) => {
  expect(isSmart(readManifest({ tags: ["outgoing", tag] }))).toBe(true);
});

test("without one of these tags there is no flow control", () => {
  expect(isSmart(readManifest({ tags: ["outgoing", "batch"] }))).toBe(false);
});

describe("channels", () => {
  test("a subscription that names none takes all", () => {
    expect(channelName(subscribe({}), "user:delete")).toBe("user:delete");
    expect(channelName(subscribe({}), "accounts_segment:update")).toBe("accounts_segment:update");
  });

  test("the whitelist of conditions decides, whatever handlers there are", () => {
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

  test("segments in general stand for both kinds, and a kind by its own name wins", () => {
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
  const filterWith = (values: Record<string, unknown>) =>
    subscribe({ conditions }, values).filters.user as SegmentFilter;
  const member = (...segmentIds: string[]) => ({ segmentIds, isIdentified: true });

  test("takes members of any segment that any of its settings names", () => {
    const filter = filterWith({ leads: ["a"], clients: "b" });
    expect(matchesFilter(filter, member("a"))).toBe(true);
    expect(matchesFilter(filter, member("x", "b"))).toBe(true);
    expect(matchesFilter(filter, member("x"))).toBe(false);
  });

  test("takes nobody while no segment is chosen", () => {
    expect(matchesFilter(filterWith({ leads: [] }), member("a"))).toBe(false);
    expect(matchesFilter(filterWith({}), member("a"))).toBe(false);
  });

  test("knows the words for everybody, for the identified and for the anonymous", () => {
    const anonymous = { segmentIds: [], isIdentified: false };
    expect(matchesFilter(filterWith({ leads: ["ALL"] }), anonymous)).toBe(true);
    expect(matchesFilter(filterWith({ leads: ["IDENTIFIED"] }), anonymous)).toBe(false);
    expect(matchesFilter(filterWith({ leads: ["IDENTIFIED"] }), member())).toBe(true);
    expect(matchesFilter(filterWith({ leads: ["ANONYMOUS"] }), anonymous)).toBe(true);
  });

  test("also tells of those who just left, and only of their leaving", () => {
    const filter = filterWith({ leads: ["a"] });
    expect(isToldAbout(filter, member("x"), ["a"])).toBe(true);
    expect(isToldAbout(filter, member("x"), ["y"])).toBe(false);
  });

  test("is for its own kind: accounts are not filtered by it", () => {
    expect(subscribe({ conditions }, { leads: ["a"] }).filters.account).toBeUndefined();
    expect(matchesFilter(undefined, member())).toBe(true);
  });
});

describe("the events a subscription is told about", () => {
  const channels = [{ channel: "user:update", "events-whitelist": ["private_settings.events"] }];
  test.each([
    ["those of the setting", { events: ["Bought"] }, new Set(["Bought"])],
    ["none, when the list is empty", { events: [] }, new Set()],
    ["all, when nobody has touched the setting", {}, undefined],
    ["all, when the setting says so", { events: ["ALL"] }, undefined],
  ])("are %s", (_name, values, expected) => {
    expect(subscribe({ channels }, values).events).toEqual(expected);
  });
});
