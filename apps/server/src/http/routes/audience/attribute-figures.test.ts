import type { AttributeFigure } from "@muster/protocol/api/attributes";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { PATIENCE } from "../../../testing/bulk.js";
import { openOrganization, Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

interface Figures {
  total: number;
  position: string;
  age_ms: number;
  attributes: AttributeFigure[];
}

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  await sender.settle([
    sender.traits({ user: { email: "ann@example.com" }, account: { domain: "acme.example" } }, { "crm/stage": "lead" }),
    sender.traits({ user: { external_id: "ben" } }, { "crm/stage": "won", age: 30 }),
    sender.traits({ account: { domain: "acme.example" } }, { seats: 12 }),
  ]);
});
afterAll(() => server.close());

async function read(path: string, headers = server.operatorHeaders): Promise<Figures> {
  const answer = await server.app.inject({ url: `/api/v1/${path}/attributes`, headers });
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

const find = ({ attributes }: Figures, key: string) => attributes.find((attribute) => attribute.key === key);

describe("what is known about users and accounts", () => {
  test("is listed with the number of those who have a value, standard fields included", async () => {
    const users = await read("users");
    expect(users).toMatchObject({ total: 2, position: expect.stringMatching(/^l\d+$/), age_ms: expect.any(Number) });
    expect(find(users, "traits_crm/stage")).toEqual({
      key: "traits_crm/stage",
      name: "crm/stage",
      type: "string",
      group: "crm",
      standard: false,
      visible: true,
      track_changes: true,
      server_only: true,
      label: "",
      description: "",
      removing: false,
      source: { connector_id: server.first.connector.id, job_id: null },
      count: 2,
      first_seen_at: expect.any(String),
      last_seen_at: expect.any(String),
    });
    expect(find(users, "traits_age")).toMatchObject({ type: "numeric", count: 1 });
    const standard = ["id", "created_at", "email", "account_id", "phone", "segment_ids"];
    expect(standard.map((key) => find(users, key)?.count)).toEqual([2, 2, 1, 1, 0, null]);
    expect(find(users, "email")).toMatchObject({ standard: true, source: null });
    const accounts = await read("accounts");
    expect([accounts.total, find(accounts, "seats")?.count, find(accounts, "domain")?.count]).toEqual([1, 1, 1]);
  });

  test("follows new records and changed flags within seconds", async () => {
    await read("users");
    const url = "/api/v1/settings/user_traits/age?visible=false&track_changes=false";
    await server.app.inject({ method: "PUT", url, headers: server.operatorHeaders });
    await sender.settle([sender.traits({ user: { external_id: "cleo" } }, { age: 40 })]);
    await vi.waitUntil(async () => (await read("users")).total === 3, PATIENCE);
    expect(find(await read("users"), "traits_age")).toMatchObject({ count: 2, visible: false, track_changes: false });
  });

  test("is of one organization", async () => {
    const other = await openOrganization(server, "others");
    const { total, attributes } = await read("users", other.headers);
    expect([total, attributes.filter(({ standard }) => !standard)]).toEqual([0, []]);
  });
});
