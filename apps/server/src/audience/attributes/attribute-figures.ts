import type { SubjectType } from "@muster/protocol";
import type { AttributeFigure } from "@muster/protocol/api/attributes";
import { isStandardField, reportKey, STANDARD_FIELDS } from "@muster/query";
import { LRUCache } from "lru-cache";
import { type AttributeType, groupOf } from "../../domain/attributes/attribute-definitions.js";
import { formatPosition } from "../../domain/entries/lanes.js";
import { readProjectCursor } from "../../storage/postgres/changes/changes.js";
import type { Database } from "../../storage/postgres/database.js";
import { type AttributeRow, listAttributes } from "../../storage/postgres/definitions/attribute-rows.js";
import { listWaitingNames } from "../../storage/postgres/definitions/new-names.js";
import type { AttributeCounts } from "../../storage/questions/asking.js";
import type { Questions } from "../../storage/questions/questions.js";
import { loadAttributes } from "./attribute-definitions.js";

export interface AttributeFiguresOptions {
  database: Database;
  questions: Pick<Questions, "countAttributes">;
}

// The count reads every column of every subject. While records arrive, it is repeated no more often than this.
const COUNT_EVERY_MS = 2_000;
const MAX_KEPT = 200;
const MAX_WAITING_SHOWN = 100;

interface Counted extends AttributeCounts {
  sequence: number;
  position: string;
  at: Date;
}

/** How much is known about users and accounts: every field of their reports, and how many have a value of it. */
export class AttributeFigures {
  readonly #options: AttributeFiguresOptions;
  readonly #counted = new LRUCache<string, Promise<Counted>>({ max: MAX_KEPT });

  constructor(options: AttributeFiguresOptions) {
    this.#options = options;
  }

  /** All fields of the reports, the standard ones first, with the position that they were counted at. */
  async read(organizationId: string, subjectType: SubjectType) {
    const { database } = this.#options;
    const rows = await listAttributes(database, organizationId, subjectType);
    const definitions = await loadAttributes(database, organizationId, subjectType, rows.length);
    const { total, counts, position, at } = await this.#count(organizationId, subjectType);
    const standard = Object.entries(STANDARD_FIELDS[subjectType]).map(([key, type]) =>
      standardFigure(key, type, standardCount(key, total, counts)),
    );
    const custom = rows
      .filter(({ name }) => !isStandardField(subjectType, name))
      .map((row) => customFigure(reportKey(subjectType, row.name), row, definitions.isServerOnly(row.name), counts));
    const ageMs = Math.max(0, Date.now() - at.getTime());
    const waiting = await listWaitingNames(database, organizationId, subjectType, MAX_WAITING_SHOWN);
    return {
      total,
      position,
      age_ms: ageMs,
      attributes: [...standard, ...custom],
      waiting: waiting.map(({ name, type, senders, firstAt, lastAt }) => {
        return { name, type, senders, first_at: firstAt.toISOString(), last_at: lastAt.toISOString() };
      }),
    };
  }

  /** Counts, unless a count of the same position or of the last moments is cached. */
  async #count(organizationId: string, subjectType: SubjectType): Promise<Counted> {
    const key = `${subjectType} ${organizationId}`;
    // The position is read first, so the engine has at least everything up to it.
    const { sequence, positions } = await readProjectCursor(this.#options.database, organizationId);
    const before = this.#counted.get(key);
    const known = await before?.catch(() => undefined);
    if (known && (known.sequence === sequence || Date.now() - known.at.getTime() < COUNT_EVERY_MS)) {
      // No record has arrived since, so the cached count is current.
      return known.sequence === sequence ? { ...known, at: new Date() } : known;
    }
    // Another reader has started the same count in the meantime.
    const newer = this.#counted.get(key);
    if (newer && newer !== before) return newer;
    const counting = this.#options.questions
      .countAttributes(organizationId, subjectType)
      .then((counted) => ({ ...counted, sequence, position: formatPosition(positions), at: new Date() }));
    this.#counted.set(key, counting);
    // A failed count is not cached, so the next reader retries.
    counting.catch(() => this.#counted.get(key) === counting && this.#counted.delete(key));
    return counting;
  }
}

/** Every subject has an id and a creation time. Segments of subjects are stored elsewhere, and are not counted here. */
function standardCount(key: string, total: number, counts: AttributeCounts["counts"]): number | null {
  if (key === "id" || key === "created_at") return total;
  return key === "segment_ids" ? null : (counts.get(key) ?? 0);
}

function standardFigure(key: string, type: AttributeType, count: number | null): AttributeFigure {
  return {
    key,
    name: key,
    type,
    group: null,
    standard: true,
    visible: true,
    track_changes: true,
    server_only: false,
    label: "",
    description: "",
    removing: false,
    source: null,
    count,
    first_seen_at: null,
    last_seen_at: null,
  };
}

function customFigure(
  key: string,
  row: AttributeRow,
  serverOnly: boolean,
  counts: AttributeCounts["counts"],
): AttributeFigure {
  return {
    key,
    name: row.name,
    type: row.type,
    group: groupOf(row.name) ?? null,
    standard: false,
    visible: row.visible,
    track_changes: row.trackChanges,
    server_only: serverOnly,
    label: row.label,
    description: row.description,
    removing: row.removing,
    source: sourceOf(row.source),
    count: counts.get(key) ?? 0,
    first_seen_at: row.createdAt.toISOString(),
    last_seen_at: row.lastSeenAt?.toISOString() ?? null,
  };
}

/** A source is the id of a connector, with `/` and the id of a job when a job wrote the first value. */
function sourceOf(source: string | null): AttributeFigure["source"] {
  const [connectorId, jobId] = (source ?? "").split("/");
  return connectorId ? { connector_id: connectorId, job_id: jobId ?? null } : null;
}
