import { expect, test, vi } from "vitest";
import type { Installed } from "../support/hull-server.js";
import { PATIENCE } from "../support/patience.js";
import type { UserMessage } from "../support/published-app.js";
import type { PublishedPlatform } from "../support/published-platform.js";

const USERS = { ann: { plan: "pro", "crm/stage": "won" }, bob: { plan: "free" }, cyd: { plan: "pro" } };

/** Extracts: the library gets the address of a file, reads it and gives the users to a handler. */
export function testExtracts(platform: () => PublishedPlatform): void {
  async function withUsers(namespace: string): Promise<Installed> {
    const installed = await platform().install(namespace);
    await platform().server.sendTraits(installed, USERS);
    await vi.waitFor(() => {
      for (const name of Object.keys(USERS)) expect(platform().smart.about(installed, name)).not.toEqual([]);
    }, PATIENCE);
    return installed;
  }

  /** The users that a batch endpoint got, once there are so many. */
  async function extracted(installed: Installed, kind: string, count: number): Promise<UserMessage[]> {
    const users = () =>
      platform()
        .smart.of(kind, installed)
        .flatMap(({ received }) => received);
    await vi.waitFor(() => expect(users()).toHaveLength(count), PATIENCE);
    return users().sort((a, b) => String(a.user.external_id).localeCompare(String(b.user.external_id)));
  }

  /** The address of a batch endpoint, as the library writes it. */
  function callback({ id, secret, organization }: Installed, path: string, more: object = {}): string {
    const query = { ship: id, secret, organization, source: "connector", ...more };
    return `${platform().smart.url}${path}?${new URLSearchParams(query)}`;
  }

  test("extract/user_reports calls the batch endpoint, and handleExtract streams all users of the JSON file", async () => {
    const { smart } = platform();
    const installed = await withUsers("extract");
    const job = await smart.run(
      installed,
      ["client"],
      ["post", "extract/user_reports", { url: callback(installed, "/batch"), format: "json", query: {}, fields: [] }],
    );
    expect(job).toMatchObject({ id: expect.any(String), type: "extract" });
    const users = await extracted(installed, "batch", 3);
    expect(users).toMatchObject([
      { user: { external_id: "ann", traits_plan: "pro", "traits_crm/stage": "won" }, account: {}, segments: [] },
      { user: { external_id: "bob", traits_plan: "free" } },
      { user: { external_id: "cyd", traits_plan: "pro" } },
    ]);
    for (const { received } of smart.of("batch", installed)) expect(received.length).toBeLessThanOrEqual(2);
  });

  test("helpers.requestExtract: the address has no port, and the batch endpoint is called all the same", async () => {
    const { server, smart } = platform();
    const installed = await withUsers("requested");
    const segment = await server.createSegment("requested", "Pro", { term: { "traits_plan.raw": "pro" } });
    await smart.run(installed, ["helpers"], ["requestExtract", { segment: { id: segment } }]);
    const users = await extracted(installed, "batch", 2);
    // Its filter is ALL, which the library does not know: it looks for the segments of the user in the setting.
    expect(users).toMatchObject([
      { user: { external_id: "ann" }, segments: [{ id: segment, name: "Pro" }], matchesFilter: false },
      { user: { external_id: "cyd" }, segments: [{ id: segment, name: "Pro" }], matchesFilter: false },
    ]);
    await smart.run(installed, ["client"], ["utils"], ["extract"], ["request", { path: "batch-grouped" }]);
    expect(await extracted(installed, "batch-grouped", 3)).toMatchObject([
      { user: { crm: { stage: "won" } } },
      { user: { traits: { plan: "free" } } },
      { user: { traits: { plan: "pro" } } },
    ]);
  });

  test("a CSV extract has the fields that were asked for", async () => {
    const { smart } = platform();
    const installed = await withUsers("extract-csv");
    const fields = ["external_id", "traits_plan"];
    const query = { term: { "traits_plan.raw": "pro" } };
    const params = { url: callback(installed, "/batch"), format: "csv", query, fields };
    await smart.run(installed, ["client"], ["post", "extract/user_reports", params]);
    const users = await extracted(installed, "batch", 2);
    expect(users.map(({ user }) => user)).toEqual([
      { external_id: "ann", traits_plan: "pro" },
      { external_id: "cyd", traits_plan: "pro" },
    ]);
  });

  test("an extract of a segment, with grouped traits: its members, with the segment", async () => {
    const { server, smart } = platform();
    const installed = await withUsers("extract-segment");
    const query = { term: { "traits_crm/stage.raw": "won" } };
    const segment = await server.createSegment("extract-segment", "Won", query);
    // As requestExtract does it: it reads the query of the segment, and names the segment in the address.
    const read = await smart.run<{ query: object }>(installed, ["client"], ["get", segment]);
    const url = callback(installed, "/batch-grouped", { segment_id: segment });
    await smart.run(
      installed,
      ["client"],
      ["post", "extract/user_reports", { url, format: "json", query: read.query }],
    );
    const [ann] = await extracted(installed, "batch-grouped", 1);
    expect(ann).toMatchObject({
      user: { external_id: "ann", traits: { plan: "pro" }, crm: { stage: "won" } },
      segments: [{ id: segment, name: "Won" }],
      matchesFilter: false,
    });
  });

  test("users that somebody sends from the dashboard arrive at the batch endpoint", async () => {
    const { server } = platform();
    const installed = await withUsers("sent");
    const job = await server.operator("sent", "POST", `/${installed.id}/export`, {});
    expect(job.status).toBe(201);
    const users = await extracted(installed, "batch", 3);
    expect(users.map(({ user, matchesFilter }) => [user.external_id, matchesFilter])).toEqual([
      ["ann", true],
      ["bob", true],
      ["cyd", true],
    ]);
  });

  test("accounts that somebody sends from the dashboard arrive at the batch endpoint for accounts", async () => {
    const { server, smart } = platform();
    const installed = await platform().install("sent-accounts");
    await smart.run(installed, ["client"], ["asAccount", { domain: "acme.example.com" }], ["traits", { size: 12 }]);
    const received = () => smart.of<Record<string, unknown>[]>("account:update", installed);
    await vi.waitFor(() => expect(received()).toHaveLength(1), PATIENCE);
    await server.operator("sent-accounts", "POST", `/${installed.id}/export`, { object: "accounts" });
    await vi.waitFor(() => expect(received()).toHaveLength(2), PATIENCE);
    expect(received()[1]?.received).toMatchObject([
      { account: { domain: "acme.example.com", size: 12 }, account_segments: [] },
    ]);
  });
}
