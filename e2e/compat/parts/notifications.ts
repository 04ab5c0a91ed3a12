import { expect, test, vi } from "vitest";
import { PATIENCE } from "../support/patience.js";
import type { PublishedPlatform } from "../support/published-platform.js";

/** Notifications that the published library accepts after it has checked their signature, and its flow control. */
export function testNotifications(platform: () => PublishedPlatform): void {
  test("a smart notification has a valid signature, the report, the changes, the settings and the segments", async () => {
    const { server, smart } = platform();
    const installed = await platform().install("signed");
    const segment = await server.createSegment("signed", "Pro", { term: { "traits_plan.raw": "pro" } });
    await server.sendTraits(installed, { ann: { plan: "pro", "crm/stage": "won" } });
    const { ship, segments, received } = await smart.until(
      "user:update",
      (report) => report.ship.id === installed.id && report.received[0]?.segments.length === 1,
    );
    expect(ship).toMatchObject({ id: installed.id, private_settings: { size: 100, synchronized_segments: ["ALL"] } });
    expect(segments).toMatchObject([{ id: segment, name: "Pro", query: { term: { "traits_plan.raw": "pro" } } }]);
    expect(received[0]).toMatchObject({
      user: { external_id: "ann", traits_plan: "pro", "traits_crm/stage": "won" },
      segments: [{ id: segment, name: "Pro" }],
      matchesFilter: true,
    });
    const changes = smart.about(installed, "ann").map((message) => message.changes);
    expect(changes[0]).toMatchObject({ is_new: true, user: { traits_plan: [null, "pro"] } });
  });

  test("flow control next: the size of the next call and the pause before it are as the connector asked", async () => {
    const { server, smart } = platform();
    const installed = await platform().install("next");
    await server.operator("next", "PUT", `/${installed.id}`, { private_settings: { size: 2 } });
    await server.sendTraits(installed, { first: { plan: "pro" } });
    await vi.waitFor(() => expect(smart.of("user:update", installed)).toHaveLength(1), PATIENCE);
    const names = ["bob", "cyd", "dan", "eve", "fay"];
    await server.sendTraits(installed, Object.fromEntries(names.map((name) => [name, { plan: "pro" }])));
    const calls = () => smart.of("user:update", installed);
    await vi.waitFor(() => expect(calls().flatMap(({ received }) => received)).toHaveLength(6), PATIENCE);
    expect(
      calls()
        .slice(1)
        .map(({ received }) => received.length),
    ).toEqual([2, 2, 1]);
    // A lower bound, which no load on the machine can break: the connector asks for 300 ms between calls.
    for (const [index, { at }] of calls().slice(1).entries())
      expect(at - calls()[index]!.at).toBeGreaterThanOrEqual(290);
  });

  test.for([
    ["the connector answers 200 with flow control retry", "asks", 390],
    ["the handler throws, which the library answers with 500 and flow control retry", "throws", 990],
  ] as const)("flow control retry: the same messages come again when %s", async ([, fails, pause]) => {
    const { server, smart } = platform();
    const installed = await platform().install(`retry-${fails}`);
    await server.sendTraits(installed, { ann: { fails }, bob: { plan: "pro" } });
    await vi.waitFor(() => expect(smart.of("user:update", installed)).toHaveLength(1), PATIENCE);
    const [refused] = smart.of("failed", installed);
    const [accepted] = smart.of("user:update", installed);
    expect(accepted?.received).toEqual(refused?.received);
    expect(accepted!.at - refused!.at).toBeGreaterThanOrEqual(pause);
  });

  test("accounts have messages of their own", async () => {
    const { smart } = platform();
    const installed = await platform().install("accounts");
    await smart.run(installed, ["client"], ["asAccount", { domain: "acme.example.com" }], ["traits", { size: 12 }]);
    const { received } = await smart.until<Record<string, unknown>[]>(
      "account:update",
      ({ ship }) => ship.id === installed.id,
    );
    expect(received[0]).toMatchObject({
      account: { domain: "acme.example.com", size: 12 },
      account_segments: [],
      changes: { is_new: true, account: { size: [null, 12] } },
    });
  });

  test("a connector without the tag gets single notifications, which the library gathers", async () => {
    const { server, plain } = platform();
    const installed = await platform().install("single", "plain");
    await server.sendTraits(installed, { ann: { plan: "pro" }, bob: { plan: "free" }, cyd: { plan: "free" } });
    const calls = () => plain.of("user:update", installed);
    await vi.waitFor(() => expect(calls().flatMap(({ received }) => received)).toHaveLength(3), PATIENCE);
    for (const { received } of calls()) expect(received.length).toBeLessThanOrEqual(2);
    expect(plain.about(installed, "ann")).toMatchObject([
      { user: { traits_plan: "pro" }, changes: { is_new: true, user: { traits_plan: [null, "pro"] } } },
    ]);
    expect(calls()[0]?.ship).toMatchObject({ id: installed.id, name: "Published library, plain" });
  });

  test("a connector without the tag hears of changed segments, and its list of segments is up to date", async () => {
    const { server, plain } = platform();
    const installed = await platform().install("segments", "plain");
    // The library now has the list in its cache.
    expect(await plain.run(installed, ["segments"])).toEqual([]);
    const segment = await server.createSegment("segments", "Everybody", { match_all: {} });
    const { received, segments } = await plain.until<Record<string, unknown>>(
      "segment:update",
      ({ ship }) => ship.id === installed.id,
    );
    expect(received).toMatchObject({ id: segment, name: "Everybody", query: { match_all: {} } });
    expect(segments).toMatchObject([{ id: segment }]);
  });

  test("a connector with the tag hears of changed segments", async () => {
    const { server, smart } = platform();
    const installed = await platform().install("smart-segments");
    const segment = await server.createSegment("smart-segments", "Everybody", { match_all: {} });
    const { received } = await smart.until<Record<string, unknown>[]>(
      "users_segment:update",
      ({ ship }) => ship.id === installed.id,
    );
    expect(received).toMatchObject([{ id: segment, name: "Everybody" }]);
  });
}
