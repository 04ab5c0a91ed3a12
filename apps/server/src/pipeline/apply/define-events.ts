import { DAY_MS } from "@muster/protocol";
import type { ChangeSet } from "../../domain/changes/change-set.js";
import { EventDefinitions } from "../../domain/events/event-definitions.js";
import type { PendingEvent } from "../../domain/events/track-event.js";
import type { Transaction } from "../../storage/postgres/database.js";
import {
  countNamesByEndUsers,
  readEventDefinitions,
  saveEventDefinitions,
} from "../../storage/postgres/definitions/event-definitions.js";

/**
 * Adds the event names and properties of a micro-batch to those of the organization. End users define `namesPerDay` new
 * names within a day (UTC). Their further events are stored, but no list names them until a connector sends one, or
 * until another day.
 */
export async function defineEvents(
  tx: Transaction,
  organizationId: string,
  { events }: ChangeSet,
  pending: ReadonlyMap<string, PendingEvent>,
  namesPerDay: number,
): Promise<void> {
  const names = [...new Set(events.map(({ event }) => event))];
  const known = await readEventDefinitions(tx, organizationId, names);
  const isByEndUser = ({ id }: { id: string }) => pending.get(id)?.byEndUser ?? false;
  const mayBeNew = known.length < names.length && events.some(isByEndUser);
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

function startOfDay(): Date {
  const now = Date.now();
  return new Date(now - (now % DAY_MS));
}
