import type { SubjectType } from "@muster/protocol";
import type { FieldType } from "@muster/query";
import { Breather } from "../../../runtime/breather.js";
import { printEvent, printReport } from "../printed.js";
import type {
  ProjectedEvent,
  ProjectionStep,
  SequencedChange,
  SubjectDocument,
  SubjectDocuments,
  TypeOf,
} from "../projection.js";
import type { Questions } from "../questions.js";

// Documents and events cross as the texts that the engine stores. They must be serialised anyway, and parsing a text
// takes a fraction of the time of a structured clone. Both sides pause, because a step has thousands of documents.

/** The report, the account, the version and `addedBy` of a document. */
type PackedDocument = readonly [string, string | undefined, number, number | undefined];

/** The types of the fields that documents have, by report key. */
type PackedTypes = ReadonlyMap<string, FieldType>;

interface PackedChange extends Omit<SequencedChange["change"], "events"> {
  sequence: number;
  events: readonly string[];
  /** `origin_id` of each event, which its text does not have. */
  origins: readonly string[];
}

interface PackedSubjects extends Omit<SubjectDocuments, "written"> {
  written: readonly PackedDocument[];
  types: PackedTypes;
}

export interface PackedWriting {
  writeChanges: [organizationId: string, Record<SubjectType, PackedSubjects>, readonly PackedChange[]];
  writeDocuments: [
    organizationId: string,
    readonly PackedDocument[],
    Parameters<Questions["writeDocuments"]>[2],
    PackedTypes,
  ];
}

export type WritingName = keyof PackedWriting;

interface Packing<Name extends WritingName> {
  pack(args: Parameters<Questions[Name]>): Promise<PackedWriting[Name]>;
  unpack(packed: PackedWriting[Name]): Promise<Parameters<Questions[Name]>>;
}

/** How the arguments of the methods cross that write many documents and events. */
const WRITING: { readonly [Name in WritingName]: Packing<Name> } = {
  writeChanges: {
    async pack([organizationId, { documents, changes, typeOf }]) {
      const breather = new Breather();
      const user = await packSubjects("user", documents.user, typeOf, breather);
      const account = await packSubjects("account", documents.account, typeOf, breather);
      const packed: PackedChange[] = [];
      for (const change of changes) packed.push(await packChange(change, breather));
      return [organizationId, { user, account }, packed];
    },
    async unpack([organizationId, { user, account }, packed]) {
      const breather = new Breather();
      const documents: ProjectionStep["documents"] = {
        user: { written: await unpackDocuments(user.written, breather), gone: user.gone },
        account: { written: await unpackDocuments(account.written, breather), gone: account.gone },
      };
      const changes: SequencedChange[] = [];
      for (const change of packed) changes.push(await unpackChange(change, breather));
      const types = { user: user.types, account: account.types };
      return [organizationId, { documents, changes, typeOf: (subjectType, key) => types[subjectType].get(key) }];
    },
  },
  writeDocuments: {
    async pack([organizationId, documents, progress, typeOf]) {
      const packed = await packDocuments(documents, new Breather());
      return [organizationId, packed, progress, typesIn(progress.kind, documents, typeOf)];
    },
    async unpack([organizationId, packed, progress, types]) {
      const documents = await unpackDocuments(packed, new Breather());
      return [organizationId, documents, progress, (_, key) => types.get(key)];
    },
  },
};

export function isWriting(method: keyof Questions): method is WritingName {
  return Object.hasOwn(WRITING, method);
}

export function packWriting<Name extends WritingName>(
  method: Name,
  args: Parameters<Questions[Name]>,
): Promise<PackedWriting[Name]> {
  return WRITING[method].pack(args);
}

export function unpackWriting<Name extends WritingName>(
  method: Name,
  packed: PackedWriting[Name],
): Promise<Parameters<Questions[Name]>> {
  return WRITING[method].unpack(packed);
}

async function packSubjects(
  subjectType: SubjectType,
  { written, gone }: SubjectDocuments,
  typeOf: TypeOf,
  breather: Breather,
): Promise<PackedSubjects> {
  const types = typesIn(subjectType, written, typeOf);
  return { written: await packDocuments(written, breather), gone, types };
}

async function packDocuments(documents: readonly SubjectDocument[], breather: Breather): Promise<PackedDocument[]> {
  const packed: PackedDocument[] = [];
  for (const document of documents) {
    if (breather.isDue) await breather.pause();
    packed.push([printReport(document), document.accountId, document.version, document.addedBy]);
  }
  return packed;
}

async function unpackDocuments(packed: readonly PackedDocument[], breather: Breather): Promise<SubjectDocument[]> {
  const documents: SubjectDocument[] = [];
  for (const [json, accountId, version, addedBy] of packed) {
    if (breather.isDue) await breather.pause();
    // The other thread has serialised a report.
    const report = JSON.parse(json) as SubjectDocument["report"];
    documents.push({ report, json, accountId, version, ...(addedBy === undefined ? {} : { addedBy }) });
  }
  return documents;
}

function typesIn(subjectType: SubjectType, documents: readonly SubjectDocument[], typeOf: TypeOf): PackedTypes {
  const keys = new Set<string>();
  for (const { report } of documents) for (const key of Object.keys(report)) keys.add(key);
  const types = new Map<string, FieldType>();
  for (const key of keys) {
    const type = typeOf(subjectType, key);
    if (type !== undefined) types.set(key, type);
  }
  return types;
}

async function packChange({ sequence, change }: SequencedChange, breather: Breather): Promise<PackedChange> {
  const { replaced, merges, removed, evaluation } = change;
  const events: string[] = [];
  const origins: string[] = [];
  for (const event of change.events) {
    if (breather.isDue) await breather.pause();
    events.push(printEvent(event));
    origins.push(event.origin_id);
  }
  return { sequence, events, origins, replaced, merges, removed, ...(evaluation ? { evaluation } : {}) };
}

async function unpackChange(packed: PackedChange, breather: Breather): Promise<SequencedChange> {
  const { sequence, events: texts, origins, ...rest } = packed;
  const events: ProjectedEvent[] = [];
  for (const [index, json] of texts.entries()) {
    if (breather.isDue) await breather.pause();
    // The other thread has serialised an event.
    const event = JSON.parse(json) as ProjectedEvent;
    event.origin_id = origins[index]!;
    event.json = json;
    events.push(event);
  }
  return { sequence, change: { ...rest, events } };
}
