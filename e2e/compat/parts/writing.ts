import { expect, test, vi } from "vitest";
import type { Installed } from "../support/hull-server.js";
import { PATIENCE } from "../support/patience.js";
import type { Step } from "../support/published-app.js";
import type { PublishedPlatform } from "../support/published-platform.js";

type Report = Record<string, unknown> & { id: string };

/** What the client of a connector writes, through the host firehose.* as it always did. */
export function testWriting(platform: () => PublishedPlatform): void {
  /** A call of the client, scoped to a user. */
  function asUser(installed: Installed, claims: object, ...steps: Step[]): Promise<unknown> {
    return platform().smart.run(installed, ["client"], ["asUser", claims], ...steps);
  }

  /** The report of one user, once it is as expected. */
  async function reportOf(installed: Installed, external_id: string, expected: object): Promise<Report> {
    const search: Step = ["post", "search/user_reports", { query: { term: { external_id } } }];
    return vi.waitFor(async () => {
      const { data } = await platform().smart.run<{ data: Report[] }>(installed, ["client"], search);
      expect(data).toMatchObject([expected]);
      return data[0] as Report;
    }, PATIENCE);
  }

  test("traits with operations, and their groups", async () => {
    const { smart } = platform();
    const installed = await platform().install("traits");
    const ann = { external_id: "ann", email: "ann@example.com" };
    await Promise.all([
      asUser(installed, ann, ["traits", { visits: { operation: "inc", value: 2 }, "crm/stage": "won", plan: "pro" }]),
      asUser(installed, ann, ["traits", { visits: 3 }]).then(() =>
        asUser(installed, ann, ["traits", { plan: { operation: "setIfNull", value: "free" } }]),
      ),
    ]);
    const report = await reportOf(installed, "ann", { traits_plan: "pro", "traits_crm/stage": "won" });
    const group: Step[] = [["client"], ["utils"], ["traits"], ["group", report]];
    expect(await smart.run(installed, ...group)).toMatchObject({
      external_id: "ann",
      email: "ann@example.com",
      traits: { plan: "pro" },
      crm: { stage: "won" },
    });
  });

  test("track: the connector is sent the event with its context", async () => {
    const { smart } = platform();
    const installed = await platform().install("track");
    const context = { source: "shop", type: "order", event_id: "o-1", created_at: "2026-02-03T04:05:06.000Z", ip: 0 };
    await asUser(installed, { external_id: "ann" }, ["track", "Order placed", { total: 100 }, context]);
    await vi.waitFor(() => expect(smart.about(installed, "ann")).not.toEqual([]), PATIENCE);
    expect(smart.about(installed, "ann").flatMap(({ events }) => events)).toMatchObject([
      {
        event: "Order placed",
        event_id: "o-1",
        event_source: "shop",
        event_type: "order",
        created_at: "2026-02-03T04:05:06.000Z",
        properties: { total: 100 },
      },
    ]);
    const bootstrap: Step[] = [["client"], ["get", "/search/event/bootstrap"]];
    await vi.waitFor(async () => {
      expect(await smart.run(installed, ...bootstrap)).toMatchObject([
        { name: "Order placed", properties: expect.any(Array) },
      ]);
    }, PATIENCE);
  });

  test("alias and unalias", async () => {
    const installed = await platform().install("alias");
    await asUser(installed, { anonymous_id: "visitor" }, ["traits", { first_page: "/pricing" }]);
    await asUser(installed, { external_id: "ann" }, ["alias", { anonymous_id: "visitor" }]);
    await reportOf(installed, "ann", { traits_first_page: "/pricing", anonymous_ids: ["visitor"] });
    await asUser(installed, { external_id: "ann" }, ["unalias", { anonymous_id: "visitor" }]);
    await reportOf(installed, "ann", { anonymous_ids: [] });
  });

  test("asUser().account() links the user, and asAccount() writes the same account", async () => {
    const { smart } = platform();
    const installed = await platform().install("account");
    await asUser(installed, { external_id: "ann" }, ["account", { external_id: "acme" }], ["traits", { size: 12 }]);
    await reportOf(installed, "ann", { account: { external_id: "acme", size: 12 } });
    await smart.run(installed, ["client"], ["asAccount", { external_id: "acme" }], ["traits", { size: 13 }]);
    const report = await reportOf(installed, "ann", { account: { external_id: "acme", size: 13 } });
    expect(report).not.toHaveProperty("traits_size");
    // Without claims it is the account that the user is linked to.
    await asUser(installed, { id: report.id }, ["account"], ["traits", { size: 14 }]);
    await reportOf(installed, "ann", { account: { external_id: "acme", size: 14 } });
  });

  test("a user is known by the id of a message", async () => {
    const { smart } = platform();
    const installed = await platform().install("by-id");
    await asUser(installed, { external_id: "ann" }, ["traits", { plan: "pro" }]);
    await vi.waitFor(() => expect(smart.about(installed, "ann")).not.toEqual([]), PATIENCE);
    const { user } = smart.about(installed, "ann")[0]!;
    await smart.run(installed, ["client"], ["asUser", user.id], ["traits", { plan: "free" }]);
    await reportOf(installed, "ann", { id: user.id, traits_plan: "free" });
    await smart.run(installed, ["client"], ["asUser", user], ["traits", { plan: "team" }]);
    await reportOf(installed, "ann", { id: user.id, traits_plan: "team" });
  });
}
