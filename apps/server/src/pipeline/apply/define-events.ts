import { LRUCache } from "lru-cache";
import { senderOf } from "../../domain/apply/name-sender.js";
import { countersOf, NewNames } from "../../domain/apply/new-names.js";
import type { PendingEvent } from "../../domain/apply/track-event.js";
import type { ChangeSet } from "../../domain/changes/change-set.js";
import type { Entry } from "../../domain/entries/entry.js";
import { EventDefinitions } from "../../domain/events/event-definitions.js";
import type { Transaction } from "../../storage/postgres/database.js";
import { readEventDefinitions, saveEventDefinitions } from "../../storage/postgres/definitions/event-definitions.js";
import { readStoredNames, saveNewNames } from "../../storage/postgres/definitions/new-names.js";
import type { ApplyRules } from "./apply-rules.js";
import { startOfDay } from "./load-new-names.js";

export interface DefineEventsOptions {
  /** The revision of the organization's event definitions, read since the transaction has the change log's lock. */
  revision: string;
  pending: ReadonlyMap<string, PendingEvent>;
  rules: Pick<ApplyRules, "newNames" | "hash">;
}

type Properties = Record<string, string>;

interface Remembered {
  revision: string;
  /** Undefined for a name that has no definition. */
  definitions: Map<string, Properties | undefined>;
  /** How many names and properties these are. */
  size: number;
}

const MAX_ORGANIZATIONS = 200;
// An organization that uses more of them reads its definitions again from time to time.
const MAX_SIZE = 10_000;
const remembered = new LRUCache<string, Remembered>({ max: MAX_ORGANIZATIONS });

/**
 * Adds the event names and properties of a micro-batch to those of the organization. End users define a limited number of
 * new names within a day (UTC). Their further events are stored, but no list names them until a connector or several
 * networks send one, or until another day.
 */
export async function defineEvents(
  tx: Transaction,
  organizationId: string,
  { events }: ChangeSet,
  { revision, pending, rules }: DefineEventsOptions,
): Promise<void> {
  const names = new Set<string>();
  for (const { event } of events) names.add(event);
  const known = await loadEventDefinitions(tx, organizationId, names, revision);
  const knownNames = new Set(known.map(({ name }) => name));
  const entryOf = ({ id }: { id: string }) => pending.get(id)?.ofEndUser;
  const byEndUsers = new Map<string, Entry[]>();
  for (const stored of known.length < names.size ? events : []) {
    const entry = knownNames.has(stored.event) ? undefined : entryOf(stored);
    if (entry) byEndUsers.set(stored.event, [...(byEndUsers.get(stored.event) ?? []), entry]);
  }
  const newNames = await loadNewNames(tx, organizationId, byEndUsers, rules);
  const definitions = new EventDefinitions(known);
  // A name that a connector sends too does not count as a name of end users.
  for (const event of events) if (!entryOf(event)) definitions.observe(event.event, event.properties);
  for (const event of events) {
    const entry = entryOf(event);
    if (!entry) continue;
    definitions.observe(event.event, event.properties, (name) => {
      return newNames.take({ kind: "event", name, type: "" }, senderOf(entry, rules.hash)) === undefined;
    });
  }
  await saveEventDefinitions(tx, organizationId, definitions.changed());
  await saveNewNames(tx, organizationId, startOfDay(Date.now()), newNames.changes());
}

/** What is stored about the new event names of end users, and about these end users. */
async function loadNewNames(
  tx: Transaction,
  organizationId: string,
  byEndUsers: ReadonlyMap<string, readonly Entry[]>,
  { newNames, hash }: DefineEventsOptions["rules"],
): Promise<NewNames> {
  if (byEndUsers.size === 0 || newNames.perOrganization === 0) return new NewNames(newNames);
  const senders = [...byEndUsers.values()].flat().map((entry) => senderOf(entry, hash));
  const stored = await readStoredNames(tx, organizationId, startOfDay(Date.now()), {
    counters: senders.flatMap((sender) => countersOf("event", sender)),
    names: [...byEndUsers.keys()].map((name) => ({ kind: "event", name })),
  });
  return new NewNames(newNames, stored);
}

/**
 * The definitions of the given names, as far as they exist. Those that were read at the same revision are not read again:
 * only micro-batches write definitions, and their transactions come one after the other.
 */
async function loadEventDefinitions(
  tx: Transaction,
  organizationId: string,
  names: ReadonlySet<string>,
  revision: string,
): Promise<{ name: string; properties: Properties }[]> {
  const { definitions } = await remember(tx, organizationId, names, revision);
  const found: { name: string; properties: Properties }[] = [];
  for (const name of names) {
    const properties = definitions.get(name);
    if (properties) found.push({ name, properties });
  }
  return found;
}

async function remember(
  tx: Transaction,
  organizationId: string,
  names: ReadonlySet<string>,
  revision: string,
): Promise<Remembered> {
  const last = remembered.get(organizationId);
  const isUsable = last?.revision === revision && last.size <= MAX_SIZE;
  const kept = isUsable ? last : { revision, definitions: new Map<string, Properties | undefined>(), size: 0 };
  const missing: string[] = [];
  for (const name of names) if (!kept.definitions.has(name)) missing.push(name);
  const read = await readEventDefinitions(tx, organizationId, missing);
  for (const name of missing) kept.definitions.set(name, undefined);
  kept.size += missing.length;
  for (const { name, properties } of read) {
    kept.definitions.set(name, properties);
    kept.size += Object.keys(properties).length;
  }
  remembered.set(organizationId, kept);
  return kept;
}
