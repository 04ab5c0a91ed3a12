import { findAll } from "./find-all.js";
import type { TestServer } from "./test-server.js";

/** All users of one world with their events, and its accounts, without the values that must differ between worlds. */
export interface Picture {
  users: { report: Record<string, unknown>; account: unknown; events: unknown[] }[];
  accounts: Record<string, unknown>[];
}

type Document = Record<string, unknown> & { id: string };

/** Reads the users and accounts whose identifiers begin with the name of the world. */
export async function takePicture(server: TestServer, world: string): Promise<Picture> {
  const mark = `${world}.`;
  const documents = async (target: "user" | "account") => {
    const found = await findAll(server, server.first.organization.id, target);
    const texts = found.map(({ report }) => JSON.stringify(report)).filter((text) => text.includes(mark));
    return texts.map((text) => JSON.parse(text.replaceAll(mark, "")) as Document);
  };
  const accounts = new Map((await documents("account")).map((account) => [account.id, account]));
  const users = await Promise.all(
    (await documents("user")).map(async (report) => ({
      report: withoutIds(report),
      account: report.account_id === null ? null : accounts.get(String(report.account_id))?.domain,
      events: await eventsOf(server, mark, report.id),
    })),
  );
  return { users: sorted(users), accounts: sorted([...accounts.values()].map(withoutIds)) };
}

async function eventsOf(server: TestServer, mark: string, userId: string): Promise<unknown[]> {
  const query = { bool: { must: [{ term: { user_id: userId } }], must_not: [{ term: { source: "platform" } }] } };
  const found = await findAll(server, server.first.organization.id, "event", query);
  return sorted(
    found.map(({ report }) => {
      const event = JSON.parse(JSON.stringify(report).replaceAll(mark, "")) as Record<string, unknown>;
      // A derived id differs between worlds, and the account is the one that the user had when the event arrived.
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
