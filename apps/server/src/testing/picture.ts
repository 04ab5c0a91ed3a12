import type { TestServer } from "./test-server.js";

/** What ClickHouse shows of one world's people: every user with its events, without what must differ between worlds. */
export interface Picture {
  users: { report: Record<string, unknown>; account: unknown; events: unknown[] }[];
  accounts: Record<string, unknown>[];
}

type Document = Record<string, unknown> & { id: string };

export async function takePicture(server: TestServer, world: string): Promise<Picture> {
  const documents = async (table: string) => {
    const rows = await server.clickhouse.rows<{ doc: string }>(
      `select doc from ${table} final where doc like {mark:String}`,
      { mark: `%${world}.%` },
    );
    return rows.map(({ doc }) => JSON.parse(doc.replaceAll(`${world}.`, "")) as Document);
  };
  const accounts = new Map((await documents("accounts")).map((account) => [account.id, account]));
  const users = await Promise.all(
    (await documents("users")).map(async (report) => ({
      report: withoutIds(report),
      account: report.account_id === null ? null : accounts.get(String(report.account_id))?.domain,
      events: await eventsOf(server, world, report.id),
    })),
  );
  return { users: sorted(users), accounts: sorted([...accounts.values()].map(withoutIds)) };
}

async function eventsOf(server: TestServer, world: string, userId: string): Promise<unknown[]> {
  const rows = await server.clickhouse.rows<{ doc: string }>(
    "select doc from events final where user_id = {id:String} and source != 'platform'",
    { id: userId },
  );
  return sorted(
    rows.map(({ doc }) => {
      const event = JSON.parse(doc.replaceAll(`${world}.`, "")) as Record<string, unknown>;
      // An id that was derived is another in another world, and the account is the one of the moment of arrival.
      const { id: _id, user_id: _user, account_id: _account, event_id, ...rest } = event;
      return { ...rest, event_id: String(event_id).length > 30 ? "derived" : event_id };
    }),
  );
}

function withoutIds({ id: _id, indexed_at: _indexed, account_id: _account, ...report }: Document) {
  return { ...report, anonymous_ids: [...((report.anonymous_ids as string[]) ?? [])].sort() };
}

function sorted<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, text: JSON.stringify(item) }))
    .sort((one, other) => (one.text < other.text ? -1 : 1))
    .map(({ item }) => item);
}
