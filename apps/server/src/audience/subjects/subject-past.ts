import { createdAtOfId, Refusal, SEGMENT_EVENTS, type SubjectType } from "@muster/protocol";
import { subjectIdThen } from "../../domain/events/own-event.js";
import type { StoredEvent } from "../../domain/events/stored-event.js";
import { type AttributeChange, changesIn } from "../../domain/profiles/attribute-history.js";
import { attributesToLookUp, type PastProfile, pastProfile } from "../../domain/profiles/past-profile.js";
import type { Profile } from "../../domain/profiles/profile.js";
import type { Database } from "../../storage/postgres/database.js";
import { readMerged } from "../../storage/postgres/profiles/merge-rows.js";
import { findProfile, readFormerIds } from "../../storage/postgres/profiles/profiles.js";
import { findUndoneMerge } from "../../storage/postgres/profiles/unmerge-rows.js";
import type { WindowCursor } from "../../storage/postgres/read-window.js";
import type { Questions } from "../../storage/questions/questions.js";
import { loadAttributes } from "../attributes/attribute-definitions.js";
import { kindOf, readSubjectEvents, type WantedEvents } from "./subject-events.js";

export interface SubjectPastOptions {
  database: Database;
  questions: Questions;
  maxAttributes: number;
}

/** A user or account as it was at a moment. */
export interface PastSubject extends PastProfile {
  /** When it became known. There is nothing to see before. */
  knownSince: Date;
  /** The segments that it was in. */
  segmentIds: string[];
}

/** The past of one subject: its history is read from now back to a moment. */
interface Reading {
  organizationId: string;
  profile: Profile;
  /** The present id, and those of all that were merged into it. */
  ids: readonly string[];
}

const EVENTS_PER_PAGE = 1_000;
// Whoever has changed more often since is shown at later moments only.
const MAX_EVENTS = 50_000;
// Where a value came from is looked up in as many changes before the moment.
const MAX_LOOKED_UP = 2_000;

/** What was known about users and accounts at a moment. It is their present state without all that has changed since. */
export class SubjectPast {
  readonly #options: SubjectPastOptions;

  constructor(options: SubjectPastOptions) {
    this.#options = options;
  }

  /**
   * Undefined when there is no such subject. Throws `not_found` for a moment before it was known. One that was merged
   * later is shown by its former id, as it was before.
   */
  async at(
    subjectType: SubjectType,
    organizationId: string,
    id: string,
    moment: number,
  ): Promise<PastSubject | undefined> {
    const { database, maxAttributes } = this.#options;
    const [present, merged] = await Promise.all([
      findProfile(database, subjectType, organizationId, id),
      readMerged(database, subjectType, organizationId, id),
    ]);
    if (!present) return undefined;
    const undone = await findUndoneMerge(database, organizationId, id, new Date(moment));
    // It was part of another one then, and its id showed that one.
    if (undone && undone.mergedAt.getTime() <= moment) {
      return this.at(subjectType, organizationId, undone.survivorId, moment);
    }
    const isMergedLater = merged !== undefined && merged.mergedAt.getTime() > moment;
    const profile = isMergedLater ? merged.profile : present;
    const knownSince = createdAtOfId(profile.id);
    if (knownSince.getTime() > moment) {
      const since = knownSince.toISOString();
      throw new Refusal(
        "not_found",
        `The ${subjectType} "${profile.id}" was not known then. It is known since ${since}.`,
      );
    }
    const former = await readFormerIds(database, organizationId, [present.id]);
    const reading = { organizationId, profile, ids: [present.id, ...(former.get(present.id) ?? [])] };
    const definitions = await loadAttributes(database, organizationId, subjectType, maxAttributes);
    const { values: since, segments } = await this.#since(reading, moment);
    const before = await this.#before(reading, moment, attributesToLookUp(profile, moment, { since }));
    return {
      ...pastProfile(profile, moment, { since, before }, definitions),
      knownSince,
      segmentIds:
        isMergedLater || undone
          ? await this.#enteredUntil(reading, moment)
          : await this.#presentWithout(organizationId, profile.id, segments),
    };
  }

  /** What attributes and memberships were at a moment, for those that have changed since. */
  async #since(reading: Reading, moment: number) {
    const values = new Map<string, AttributeChange["from"]>();
    const segments = new Map<string, boolean>();
    const wanted = { kinds: ["change", "segment"] as const, after: moment };
    // The latest comes first, so what stays is the first change after the moment.
    for await (const event of this.#events(reading, wanted)) {
      if (kindOf(event) === "change") for (const [name, { from }] of changesIn(event)) values.set(name, from);
      else segments.set(String(event.properties.segment_id), event.event === SEGMENT_EVENTS.left);
    }
    return { values, segments };
  }

  /** The last changes of these attributes up to a moment. */
  async #before(reading: Reading, moment: number, names: Set<string>): Promise<Map<string, AttributeChange>> {
    const found = new Map<string, AttributeChange>();
    if (names.size === 0) return found;
    let count = 0;
    for await (const event of this.#events(reading, { kinds: ["change"], until: moment })) {
      for (const [name, change] of changesIn(event)) if (names.delete(name)) found.set(name, change);
      count += 1;
      if (names.size === 0 || count === MAX_LOOKED_UP) break;
    }
    return found;
  }

  /** What Muster has noted about the subject itself, the latest first, in pages. Throws when it is too much. */
  async *#events(
    { organizationId, profile: { id, subjectType }, ids }: Reading,
    wanted: Pick<WantedEvents, "kinds" | "after" | "until">,
  ): AsyncGenerator<StoredEvent> {
    let cursor: WindowCursor | undefined;
    for (let count = 0; count < MAX_EVENTS; count += EVENTS_PER_PAGE) {
      const window = { ...wanted, limit: EVENTS_PER_PAGE, cursor };
      const page = await readSubjectEvents(this.#options, organizationId, subjectType, ids, window);
      for (const { item } of page) if (subjectIdThen(item) === id) yield item;
      if (page.length < EVENTS_PER_PAGE) return;
      cursor = page.at(-1)?.cursor;
    }
    throw new Refusal(
      "invalid_parameter",
      `The history between then and now has more than ${MAX_EVENTS.toLocaleString("en")} changes. Choose a later moment.`,
    );
  }

  /** The segments of one that has no memberships any more, because it was merged. */
  async #enteredUntil(reading: Reading, moment: number): Promise<string[]> {
    const lastMoves = new Map<unknown, boolean>();
    for await (const { event, properties } of this.#events(reading, { kinds: ["segment"], until: moment })) {
      const id = properties.segment_id;
      if (!lastMoves.has(id)) lastMoves.set(id, event === SEGMENT_EVENTS.entered);
    }
    return [...lastMoves].flatMap(([id, isIn]) => (isIn ? [String(id)] : [])).sort();
  }

  /** The present segments, except for those whose membership was another one then. */
  async #presentWithout(organizationId: string, id: string, then: ReadonlyMap<string, boolean>): Promise<string[]> {
    const memberships = await this.#options.questions.membershipsOf(organizationId, [id]);
    const ids = new Set(memberships.get(id)?.map(({ segmentId }) => segmentId));
    for (const [segmentId, wasIn] of then) {
      if (wasIn) ids.add(segmentId);
      else ids.delete(segmentId);
    }
    return [...ids].sort();
  }
}
