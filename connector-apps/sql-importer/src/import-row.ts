import type { Client } from "@muster/client";
import type { Row } from "./row-query.js";
import type { Settings } from "./settings.js";

const USER_IDENTIFIERS = ["external_id", "email", "anonymous_id"];
const ACCOUNT_IDENTIFIERS = ["external_id", "domain"];
const LINK_COLUMNS = ["account_external_id", "account_domain"];

/** Sends a row. Rejects when Muster refuses it or the row has no identifier. */
export async function importRow(client: Client, { importAs, prefix }: Settings, row: Row): Promise<unknown> {
  if (importAs === "accounts") {
    const attributes = namedAttributes(row, ACCOUNT_IDENTIFIERS, prefix);
    return client.asAccount(pick(row, ACCOUNT_IDENTIFIERS)).traits(attributes);
  }
  const user = client.asUser(pick(row, USER_IDENTIFIERS));
  const account = linkedAccount(row);
  const linked = Object.keys(account).length > 0 ? user.account(account) : user;
  if (importAs === "users") return linked.traits(namedAttributes(row, [...USER_IDENTIFIERS, ...LINK_COLUMNS], prefix));
  const { event, event_id, created_at, ...rest } = row;
  return linked.track(
    event === null || event === undefined ? "" : String(event),
    without(rest, [...USER_IDENTIFIERS, ...LINK_COLUMNS]),
    {
      source: "sql",
      ...(event_id === null || event_id === undefined ? {} : { event_id: String(event_id) }),
      ...(created_at === null || created_at === undefined ? {} : { created_at: String(asIso(created_at)) }),
    },
  );
}

function linkedAccount({ account_external_id, account_domain }: Row): Record<string, string> {
  return pick({ external_id: account_external_id, domain: account_domain }, ACCOUNT_IDENTIFIERS);
}

function pick(row: Row, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (row[name] === null || row[name] === undefined ? [] : [[name, String(row[name])]])),
  );
}

function namedAttributes(row: Row, identifiers: readonly string[], prefix: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(without(row, identifiers)).map(([name, value]) => [prefix + name, value]));
}

function without(row: Row, names: readonly string[]): Record<string, unknown> {
  const kept = Object.entries(row).filter(([name]) => !names.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, asIso(value)]));
}

const DATABASE_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?(\+00)?$/;

/** Turns a time as the database writes it, in UTC, into ISO 8601. Other values stay as they are. */
function asIso(value: unknown): unknown {
  if (typeof value !== "string" || !DATABASE_TIME.test(value)) return value;
  return new Date(`${value.replace(" ", "T").replace(/\+00$/, "")}Z`).toISOString();
}
