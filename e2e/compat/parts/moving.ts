import { expect, test, vi } from "vitest";
import type { Installed } from "../support/hull-server.js";
import { PATIENCE } from "../support/patience.js";
import type { Step } from "../support/published-app.js";
import type { PublishedPlatform } from "../support/published-platform.js";

// The files that extracts of the original service consist of. Ids are of that service.
const ACCOUNTS = [
  {
    id: "5b16715f3a6e7b1e2c00000a",
    external_id: "acme",
    domain: "acme.example.com",
    name: "Acme",
    "crm/stage": "customer",
    employees: 120,
    created_at: "2017-02-01T10:00:00Z",
    segment_ids: ["5b16715f3a6e7b1e2c00000f"],
  },
];
const USERS = [
  {
    id: "5b16715f3a6e7b1e2c000001",
    external_id: "ann",
    email: "ann@example.com",
    anonymous_ids: ["browser-1", "browser-2"],
    name: "Ann Lee",
    created_at: "2017-03-04T05:06:07Z",
    indexed_at: "2021-01-01T00:00:00+00:00",
    traits_plan: "pro",
    "traits_crm/score": 12,
    traits_trial_ends_at: "2021-02-03T00:00:00Z",
    segment_ids: ["5b16715f3a6e7b1e2c00000b"],
    account: { id: "5b16715f3a6e7b1e2c00000a", external_id: "acme", domain: "acme.example.com", name: "Acme" },
  },
  { id: "5b16715f3a6e7b1e2c000002", email: "bob@example.com", traits_plan: "free", segment_ids: [] },
];
const EVENTS = [
  {
    userId: "ann",
    event: "Order placed",
    eventId: "order-1",
    timestamp: "2020-05-06T07:08:09Z",
    properties: { total: 100 },
  },
];

/** The data of the original service: its files are imported, and its segments have their old queries. */
export function testMoving(platform: () => PublishedPlatform): void {
  test("files of extracts are imported: identifiers, attributes, accounts, the time of creation, events", async () => {
    const { server, smart } = platform();
    const installed = await platform().install("moving");
    await server.importFile("moving", "accounts", ACCOUNTS);
    await server.importFile("moving", "users", USERS);
    await server.importFile("moving", "events", EVENTS);
    const search = (path: string): Step[] => [["client"], ["post", path, { sort: { created_at: "asc" } }]];
    const { data: users } = await smart.run<{ data: object[] }>(installed, ...search("search/user_reports"));
    expect(users).toMatchObject([
      {
        external_id: "ann",
        email: "ann@example.com",
        anonymous_ids: ["browser-1", "browser-2"],
        name: "Ann Lee",
        created_at: "2017-03-04T05:06:07.000Z",
        traits_plan: "pro",
        "traits_crm/score": 12,
        traits_trial_ends_at: "2021-02-03T00:00:00.000Z",
        segment_ids: [],
        account: {
          external_id: "acme",
          "crm/stage": "customer",
          employees: 120,
          created_at: "2017-02-01T10:00:00.000Z",
        },
      },
      { email: "bob@example.com", traits_plan: "free" },
    ]);
    // The ids of the original service are not kept.
    expect(users).not.toMatchObject([{ id: USERS[0]!.id }, {}]);
    const { data: events } = await smart.run<{ data: object[] }>(installed, ...search("search/events"));
    expect(events).toMatchObject([
      {
        event: "Order placed",
        event_id: "order-1",
        created_at: "2020-05-06T07:08:09.000Z",
        properties: { total: 100 },
      },
    ]);
    // A user with nothing but an id of the original service cannot be found again, and is refused.
    const nameless = { id: "5b16715f3a6e7b1e2c000003", traits_plan: "free" };
    await server.importFile("moving", "users", [nameless], 1);
    // An import that does not ask for it tells connectors nothing.
    expect(smart.of("user:update", installed)).toEqual([]);
  });

  test("a segment is created with the query that it had", async () => {
    const { server, smart } = platform();
    const installed: Installed = await platform().install("moving-segments");
    await server.importFile("moving-segments", "users", USERS);
    const query = {
      bool: {
        filter: [
          { and: { filters: [{ terms: { "traits_plan.exact": ["pro", "team"] } }, { exists: { field: "email" } }] } },
        ],
      },
    };
    const segment = await server.createSegment("moving-segments", "Paying", query);
    const members = () =>
      smart.run(installed, ["client"], ["post", "search/user_reports", { query: { term: { segment_ids: segment } } }]);
    await vi.waitFor(async () => expect(await members()).toMatchObject({ data: [{ external_id: "ann" }] }), PATIENCE);
  });
}
