import type { SubjectType } from "@muster/protocol";
import type { FieldType } from "@muster/query";
import type { ChangeSet, Evaluation } from "../../domain/changes/change-set.js";
import type { StoredEvent } from "../../domain/events/stored-event.js";
import type { Report } from "../../domain/profiles/report.js";

/** How much of an organization's data the engine has. */
export interface Progress {
  /** The generation that the data belongs to; undefined when there is no data yet. */
  generation: string | undefined;
  /** Changes up to this sequence of the change log are written. */
  sequence: number;
  /** How many of the first documents of a new generation are written; undefined when all are. */
  documents: DocumentProgress | undefined;
  /** The sequence of the change log when the first documents were written. Changes up to it bring no newer documents. */
  documentsUntil: number;
  /** How many documents were written at the start of the generation. */
  documentCount: number;
}

/** Whether the engine has lost data that was projected before. An organization without a cursor has no such data. */
export function isBehind(
  { generation, sequence, documents }: Progress,
  cursor: { generation: string | undefined; sequence: number },
): boolean {
  if (cursor.generation === undefined) return false;
  return generation !== cursor.generation || documents !== undefined || sequence < cursor.sequence;
}

export interface DocumentProgress {
  /** The type that is being written. Accounts are written before users. */
  kind: SubjectType;
  /** The last id that was written. */
  afterId: string;
}

/** A user or account as it is now, with hidden attributes: they must be available at once when they are shown again. */
export interface SubjectDocument {
  report: Report;
  /** The report as JSON, if it is already serialised. */
  json?: string;
  accountId: string | undefined;
  /** The sequence of the last change of the subject. */
  version: number;
  /**
   * The sequence of the change that created the subject. Only set when the engine can have got the subject from no other
   * source than that change, so that an engine without the change has no row to replace.
   */
  addedBy?: number;
}

export interface SubjectDocuments {
  written: readonly SubjectDocument[];
  /** The ids of subjects that do not exist any more because they were merged into others or erased. */
  gone: readonly string[];
}

/** The declared type of a field of a report; undefined when it is not defined, and then it cannot be queried. */
export type TypeOf = (subjectType: SubjectType, key: string) => FieldType | undefined;

export interface ProjectedEvent extends StoredEvent {
  /** The result of `serialiseEvent`, if the event is already serialised. */
  json?: string;
}

/** What the engine needs of a row of the change log. */
export interface SequencedChange {
  sequence: number;
  change: Pick<ChangeSet, "replaced" | "merges" | "unmerges" | "removed" | "evaluation" | "renamed"> & {
    events: readonly ProjectedEvent[];
  };
}

/** The events that an evaluation writes into the timelines of the subjects that moved. */
export type EventsOfEvaluation = (evaluation: Evaluation, sequence: number) => StoredEvent[];

/** Consecutive changes, with the documents of the users and accounts that they changed. */
export interface ProjectionStep {
  documents: Record<SubjectType, SubjectDocuments>;
  changes: readonly SequencedChange[];
  typeOf: TypeOf;
}

/**
 * Writes changes to the engine. The engine itself stores up to which sequence it has them, so writing the same change
 * again changes nothing.
 */
export interface Projection {
  /** The organizations that the engine has data of. */
  organizations(): Promise<string[]>;
  progress(organizationId: string): Promise<Progress>;

  /** Deletes all data of the organization and starts a new generation, whose documents must be written first. */
  begin(organizationId: string, generation: string): Promise<void>;
  /** Writes a page of the first documents of a generation. `progress` is the state after this page. */
  writeDocuments(
    organizationId: string,
    documents: readonly SubjectDocument[],
    progress: DocumentProgress,
    typeOf: TypeOf,
  ): Promise<void>;
  /** Records that all first documents are written, as of sequence `until` of the change log or newer. */
  endDocuments(organizationId: string, until: number): Promise<void>;

  /** Writes consecutive changes. Those that the engine already has are skipped. */
  writeChanges(organizationId: string, step: ProjectionStep): Promise<void>;
  /** Writes who entered and left segments at once, possibly before the changes with lower sequences are written. */
  writeEvaluation(organizationId: string, sequence: number, evaluation: Evaluation): Promise<void>;

  /**
   * Deletes all data of subjects, also from the files of the engine, which would otherwise keep deleted rows. It may take
   * some seconds, during which questions wait. `ids` must include the ids of subjects that were merged into these.
   */
  erase(organizationId: string, ids: readonly string[]): Promise<void>;
  /** Deletes all data of an organization. */
  drop(organizationId: string): Promise<void>;
}
