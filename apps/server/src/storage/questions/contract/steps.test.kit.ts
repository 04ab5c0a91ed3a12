import type { SubjectType } from "@muster/protocol";
import { type FieldType, STANDARD_FIELDS } from "@muster/query";
import { type ChangeSet, NO_CHANGE } from "../../../domain/changes/change-set.js";
import type { StoredEvent } from "../../../domain/events/stored-event.js";
import type { Report } from "../../../domain/profiles/report.js";
import type { ProjectionStep, SequencedChange, SubjectDocument, SubjectDocuments, TypeOf } from "../projection.js";

// Builders for documents, events and changes. Everything that a test does not specify has a default.

type Types = Readonly<Record<string, FieldType>>;

/** The types of the standard fields and of the given custom attributes, by report key. */
export function typesOf(custom: Readonly<Record<SubjectType, Types>>): TypeOf {
  return (subjectType, key) => ownOf(STANDARD_FIELDS[subjectType], key) ?? ownOf(custom[subjectType], key);
}

function ownOf(types: Types, key: string): FieldType | undefined {
  return Object.hasOwn(types, key) ? types[key] : undefined;
}

export interface DocumentOptions {
  createdAt?: string;
  /** Only for users. */
  accountId?: string | undefined;
  version?: number;
}

export function userDocument(id: string, fields: Report, options: DocumentOptions = {}): SubjectDocument {
  const document = accountDocument(id, fields, options);
  return { ...document, report: { ...document.report, account_id: options.accountId ?? null } };
}

export function accountDocument(
  id: string,
  fields: Report,
  { createdAt = "2024-01-01T00:00:00.000Z", accountId, version = 1 }: DocumentOptions = {},
): SubjectDocument {
  return { report: { id, ...fields, created_at: createdAt }, accountId, version };
}

/** An event of a user, as a connector would track it. */
export function eventOf(id: string, userId: string, fields: Partial<StoredEvent> = {}): StoredEvent {
  return {
    id,
    event: "Order",
    event_id: id,
    event_source: "web",
    event_type: "track",
    created_at: "2024-06-01T00:00:00.000Z",
    user_id: userId,
    origin_id: userId,
    account_id: null,
    anonymous_id: null,
    session_id: null,
    properties: {},
    context: {},
    ...fields,
  };
}

/** A change with only the given fields. */
export function changeOf(sequence: number, change: Partial<ChangeSet> = {}): SequencedChange {
  return { sequence, change: { ...NO_CHANGE, ...change } };
}

export interface StepOptions {
  users?: Partial<SubjectDocuments>;
  accounts?: Partial<SubjectDocuments>;
  typeOf?: TypeOf;
}

/** A step with changes and the documents of the subjects that they changed. */
export function stepOf(
  changes: readonly SequencedChange[],
  { users, accounts, typeOf = typesOf({ user: {}, account: {} }) }: StepOptions = {},
): ProjectionStep {
  const nobody: SubjectDocuments = { written: [], gone: [] };
  return { changes, typeOf, documents: { user: { ...nobody, ...users }, account: { ...nobody, ...accounts } } };
}
