import { DAY_MS } from "@muster/protocol";
import { LRUCache } from "lru-cache";
import type { PendingEvent } from "../../domain/apply/track-event.js";
import type { ChangeSet } from "../../domain/changes/change-set.js";
import { EventDefinitions } from "../../domain/events/event-definitions.js";
import type { Transaction } from "../../storage/postgres/database.js";
import {
  countNamesByEndUsers,
  readEventDefinitions,
  saveEventDefinitions,
} from "../../storage/postgres/definitions/event-definitions.js";

export interface DefineEventsOptions {
  /** The revision of the organization's event definitions, read since the transaction has the change log's lock. */
  revision: string;
  pending: ReadonlyMap<string, PendingEvent>;
  /** How many new names end users define within a day. */
  namesPerDay: number;
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
 * Adds the event names and properties of a micro-batch to those of the organization. End users define `namesPerDay` new
 * names within a day (UTC). Their further events are stored, but no list names them until a connector sends one, or
 * until another day.
 */
export async function defineEvents(
  tx: Transaction,
  organizationId: string,
  { events }: ChangeSet,
  { revision, pending, namesPerDay }: DefineEventsOptions,
): Promise<void> {
  const names = new Set<string>();
  for (const { event } of events) names.add(event);
  const known = await loadEventDefinitions(tx, organizationId, names, revision);
  const isByEndUser = ({ id }: { id: string }) => pending.get(id)?.byEndUser ?? false;
  const mayBeNew = known.length < names.size && events.some(isByEndUser);
  const allowed = mayBeNew ? namesPerDay - (await countNamesByEndUsers(tx, organizationId, startOfDay())) : 0;
  const definitions = new EventDefinitions(known, allowed);
  // A name that a connector sends too does not count as a name of end users.
  for (const byEndUser of [false, true]) {
    for (const event of events) {
      if (isByEndUser(event) === byEndUser) definitions.observe(event.event, event.properties, byEndUser);
    }
  }
  await saveEventDefinitions(tx, organizationId, definitions.changed());
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

function startOfDay(): Date {
  const now = Date.now();
  return new Date(now - (now % DAY_MS));
}
