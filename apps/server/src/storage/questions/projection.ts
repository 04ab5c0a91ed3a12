import type { SubjectType } from "@muster/protocol";
import type { FieldType } from "@muster/query";
import type { ChangeSet, Evaluation, StoredEvent } from "../../domain/changes/change-set.js";
import type { Report } from "../../domain/changes/report.js";

/** What the engine holds of an organization. */
export interface Progress {
  /** The generation it was built for; undefined when it holds nothing yet. */
  generation: string | undefined;
  /** Changes up to this sequence of the change log are in it. */
  sequence: number;
  /** How far documents have been written, while a new generation begins with them; undefined once all are there. */
  documents: DocumentProgress | undefined;
  /** Documents were written when the change log stood here: changes up to it bring no newer ones. */
  documentsUntil: number;
  /** How many documents the generation began with. */
  documentCount: number;
}

/** Whether the engine lacks something that was projected before; an organization without a cursor has nothing to lack. */
export function isBehind(
  { generation, sequence, documents }: Progress,
  cursor: { generation: string | undefined; sequence: number },
): boolean {
  if (cursor.generation === undefined) return false;
  return generation !== cursor.generation || documents !== undefined || sequence < cursor.sequence;
}

export interface DocumentProgress {
  /** Whose turn it is: accounts come before users. */
  kind: SubjectType;
  /** The last id that was written. */
  afterId: string;
}

/** A user or account as it is now. Hidden attributes are in it: showing one again must bring it back at once. */
export interface SubjectDocument {
  report: Report;
  accountId: string | undefined;
  /** The sequence of the change that made it so. */
  version: number;
}

export interface SubjectDocuments {
  written: readonly SubjectDocument[];
  /** Ids of those that do not exist any more: merged into others, or erased. */
  gone: readonly string[];
}

/** The declared type of a field of a report; undefined when nobody has seen it, and then nobody can ask about it. */
export type TypeOf = (kind: SubjectType, key: string) => FieldType | undefined;

/** A row of the change log. */
export interface SequencedChange {
  sequence: number;
  change: ChangeSet;
}

/** The events that an evaluation writes into the timelines of the subjects that moved. */
export type EventsOfEvaluation = (evaluation: Evaluation, sequence: number) => StoredEvent[];

/** Consecutive changes, with the users and accounts they touched. */
export interface ProjectionStep {
  documents: Record<SubjectType, SubjectDocuments>;
  changes: readonly SequencedChange[];
  typeOf: TypeOf;
}

/**
 * Writing. Whatever is written is noted with its sequence in the same act, so the engine itself knows what it has, and
 * writing the same change again changes nothing.
 */
export interface Projection {
  /** The organizations that the engine holds something of. */
  organizations(): Promise<string[]>;
  progress(organizationId: string): Promise<Progress>;

  /** Forgets everything about the organization and begins a generation, whose documents come first. */
  begin(organizationId: string, generation: string): Promise<void>;
  /** Writes a page of documents of a new generation; `progress` is how far they have come after it. */
  writeDocuments(
    organizationId: string,
    documents: readonly SubjectDocument[],
    progress: DocumentProgress,
    typeOf: TypeOf,
  ): Promise<void>;
  /** Notes that all documents are there, as they were when the change log stood at `until`, or newer. */
  endDocuments(organizationId: string, until: number): Promise<void>;

  /** Writes consecutive changes. Those that the engine has already are passed over. */
  writeChanges(organizationId: string, step: ProjectionStep): Promise<void>;
  /** Writes who entered and left segments as soon as that is decided, ahead of the changes before it. */
  writeEvaluation(organizationId: string, sequence: number, evaluation: Evaluation): Promise<void>;

  /** Takes every trace of subjects away; their former ids must be among `ids`. */
  erase(organizationId: string, ids: readonly string[]): Promise<void>;
  /** Takes everything of an organization away. */
  drop(organizationId: string): Promise<void>;
}
