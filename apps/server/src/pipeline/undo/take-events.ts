import { MUSTER_SOURCE } from "@muster/protocol";
import type { Outcome } from "../../domain/apply/entry-application.js";
import type { ChangeSet } from "../../domain/changes/change-set.js";
import type { StoredEvent } from "../../domain/events/stored-event.js";
import { decidedOrigin } from "../../domain/events/undecided-origin.js";
import { addEvents } from "../../domain/profiles/event-counts.js";
import type { Profile } from "../../domain/profiles/profile.js";
import type { UndoTally } from "../../domain/revert/undo-tally.js";
import type { WriterNotes } from "../../domain/undo/undo-notes.js";
import type { Transaction } from "../../storage/postgres/database.js";
import { loadKnownEvents, saveEventKeys } from "../../storage/postgres/ingest/event-keys.js";
import type { LoadedState } from "../apply/load-working-state.js";
import type { EventStep } from "./undo-step.js";

interface TakingEvents {
  state: LoadedState;
  tally: UndoTally;
  own: WriterNotes;
}

/** Removes events. One that a later record has overwritten is that record's event by now, and stays. */
export async function takeEvents(
  tx: Transaction,
  organizationId: string,
  steps: readonly EventStep[],
  { state, outcome, tally, own }: TakingEvents & { outcome: Outcome },
): Promise<{ keys: string[]; at: number }> {
  const taken = steps.filter(({ comesBack }) => !comesBack);
  const freed = { keys: [] as string[], at: taken[0]?.at ?? 0 };
  const keys = taken.map(({ event }) => event.event_id);
  const known = await loadKnownEvents(tx, organizationId, keys);
  for (const { event, at, sequence } of taken) {
    const key = known.get(event.event_id);
    if (key && key.recordedAt !== at) {
      tally.events_stayed += 1;
      continue;
    }
    const name = state.eventPlans.currentName(event.event);
    const user = ownerOf(event, state);
    outcome.replaced.set(`${event.id} ${name}`, { id: event.id, event: name, createdAt: Date.parse(event.created_at) });
    outcome.lost.push({ event: name, userId: user?.id ?? null, accountId: event.account_id });
    if (user) count(user, event, -1, state);
    if (key) freed.keys.push(event.event_id);
    own.removedEvents ??= { ids: [], keys: freed.keys, sequence, at };
    own.removedEvents.ids.push(event.id);
    tally.events_removed += 1;
  }
  return freed;
}

/** Adds events again. One whose event id another record has by now stays away, and so does one whose user is gone. */
export async function restoreEvents(
  tx: Transaction,
  organizationId: string,
  steps: readonly EventStep[],
  { state, tally, own }: TakingEvents,
): Promise<ChangeSet["events"]> {
  const back = steps.filter(({ comesBack }) => comesBack);
  const keys = back.map(({ event }) => event.event_id);
  const known = await loadKnownEvents(tx, organizationId, keys);
  const restored: { event: StoredEvent; step: EventStep }[] = [];
  for (const step of back) {
    const user = ownerOf(step.event, state);
    if (!user || known.has(step.event.event_id)) {
      tally.events_stayed += 1;
      continue;
    }
    const event = { ...step.event, user_id: user.id, event: state.eventPlans.currentName(step.event.event) };
    count(user, event, 1, state);
    restored.push({ event, step });
    own.events ??= { ids: [], at: step.at };
    own.events.ids.push(event.id);
    tally.events_restored += 1;
  }
  const keyed = restored.filter(({ step }) => step.comesBack?.isKeyed);
  await saveEventKeys(
    tx,
    organizationId,
    keyed.map(({ event, step }) => ({
      stored: event,
      known: {
        id: event.id,
        event: event.event,
        ...(event.sent_as === undefined ? {} : { sentAs: event.sent_as }),
        createdAt: Date.parse(event.created_at),
        recordedAt: step.at,
      },
    })),
  );
  return restored.map(({ event }) => event);
}

/** The user who has an event now. The user that it came from may have been merged since, and split off again. */
function ownerOf({ user_id, origin_id }: StoredEvent, { users }: LoadedState): Profile | undefined {
  const user = users.find(decidedOrigin(origin_id)) ?? users.find(user_id);
  const current = user && users.current(user);
  return current && !users.isRemoved(current) ? current : undefined;
}

/** Events that Muster itself makes are not counted. The half that an event is of counts it too. */
function count(user: Profile, event: StoredEvent, by: 1 | -1, { users }: LoadedState): void {
  users.touch(user);
  if (event.event_source === MUSTER_SOURCE) return;
  const half = user.hasHalves ? users.halves.find(decidedOrigin(event.origin_id))?.profile : undefined;
  if (half) users.halves.touch(half);
  for (const profile of half ? [user, half] : [user]) {
    profile.hasEvents = true;
    profile.eventCounts = addEvents(profile.eventCounts, {
      byName: [[event.sent_as ?? event.event, by]],
      byAnonymousId: event.anonymous_id === null ? [] : [[event.anonymous_id, by]],
      until: undefined,
    });
  }
}
