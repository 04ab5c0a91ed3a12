import type { SubjectType } from "@muster/protocol";
import type { FieldType } from "@muster/query";
import { Breather } from "../../../runtime/loops/breather.js";
import type {
  ProjectedEvent,
  ProjectionStep,
  SequencedChange,
  SubjectDocument,
  SubjectDocuments,
  TypeOf,
} from "../projection.js";
import type { Questions } from "../questions.js";
import { serialiseEvent, serialiseReport } from "../serialise.js";

// Documents and events cross as the texts that the engine stores. They must be serialised anyway, and parsing a text
// takes a fraction of the time of a structured clone. Both sides pause, because a step has thousands of documents.

/** The report, the account, the version and `addedBy` of a document. */
type EncodedDocument = readonly [string, string | undefined, number, number | undefined];

/** The types of the fields that documents have, by report key. */
type EncodedTypes = ReadonlyMap<string, FieldType>;

interface EncodedChange extends Omit<SequencedChange["change"], "events"> {
  sequence: number;
  events: readonly string[];
  /** `origin_id` of each event, which its text does not have. */
  origins: readonly string[];
}

interface EncodedSubjects extends Omit<SubjectDocuments, "written"> {
  written: readonly EncodedDocument[];
  types: EncodedTypes;
}

export interface EncodedWriting {
  writeChanges: [organizationId: string, Record<SubjectType, EncodedSubjects>, readonly EncodedChange[]];
  writeDocuments: [
    organizationId: string,
    readonly EncodedDocument[],
    Parameters<Questions["writeDocuments"]>[2],
    EncodedTypes,
  ];
}

export type WritingName = keyof EncodedWriting;

interface Encoding<Name extends WritingName> {
  encode(args: Parameters<Questions[Name]>): Promise<EncodedWriting[Name]>;
  decode(encoded: EncodedWriting[Name]): Promise<Parameters<Questions[Name]>>;
}

/** How the arguments of the methods cross that write many documents and events. */
const WRITING: { readonly [Name in WritingName]: Encoding<Name> } = {
  writeChanges: {
    async encode([organizationId, { documents, changes, typeOf }]) {
      const breather = new Breather();
      const user = await encodeSubjects("user", documents.user, typeOf, breather);
      const account = await encodeSubjects("account", documents.account, typeOf, breather);
      const encoded: EncodedChange[] = [];
      for (const change of changes) encoded.push(await encodeChange(change, breather));
      return [organizationId, { user, account }, encoded];
    },
    async decode([organizationId, { user, account }, encoded]) {
      const breather = new Breather();
      const documents: ProjectionStep["documents"] = {
        user: { written: await decodeDocuments(user.written, breather), gone: user.gone },
        account: { written: await decodeDocuments(account.written, breather), gone: account.gone },
      };
      const changes: SequencedChange[] = [];
      for (const change of encoded) changes.push(await decodeChange(change, breather));
      const types = { user: user.types, account: account.types };
      return [organizationId, { documents, changes, typeOf: (subjectType, key) => types[subjectType].get(key) }];
    },
  },
  writeDocuments: {
    async encode([organizationId, documents, progress, typeOf]) {
      const encoded = await encodeDocuments(documents, new Breather());
      return [organizationId, encoded, progress, typesIn(progress.kind, documents, typeOf)];
    },
    async decode([organizationId, encoded, progress, types]) {
      const documents = await decodeDocuments(encoded, new Breather());
      return [organizationId, documents, progress, (_, key) => types.get(key)];
    },
  },
};

export function isWriting(method: keyof Questions): method is WritingName {
  return Object.hasOwn(WRITING, method);
}

export function encodeWriting<Name extends WritingName>(
  method: Name,
  args: Parameters<Questions[Name]>,
): Promise<EncodedWriting[Name]> {
  return WRITING[method].encode(args);
}

export function decodeWriting<Name extends WritingName>(
  method: Name,
  encoded: EncodedWriting[Name],
): Promise<Parameters<Questions[Name]>> {
  return WRITING[method].decode(encoded);
}

async function encodeSubjects(
  subjectType: SubjectType,
  { written, gone }: SubjectDocuments,
  typeOf: TypeOf,
  breather: Breather,
): Promise<EncodedSubjects> {
  const types = typesIn(subjectType, written, typeOf);
  return { written: await encodeDocuments(written, breather), gone, types };
}

async function encodeDocuments(documents: readonly SubjectDocument[], breather: Breather): Promise<EncodedDocument[]> {
  const encoded: EncodedDocument[] = [];
  for (const document of documents) {
    if (breather.isDue) await breather.pause();
    encoded.push([serialiseReport(document), document.accountId, document.version, document.addedBy]);
  }
  return encoded;
}

async function decodeDocuments(encoded: readonly EncodedDocument[], breather: Breather): Promise<SubjectDocument[]> {
  const documents: SubjectDocument[] = [];
  for (const [json, accountId, version, addedBy] of encoded) {
    if (breather.isDue) await breather.pause();
    // The other thread has serialised a report.
    const report = JSON.parse(json) as SubjectDocument["report"];
    documents.push({ report, json, accountId, version, ...(addedBy === undefined ? {} : { addedBy }) });
  }
  return documents;
}

function typesIn(subjectType: SubjectType, documents: readonly SubjectDocument[], typeOf: TypeOf): EncodedTypes {
  const keys = new Set<string>();
  for (const { report } of documents) for (const key of Object.keys(report)) keys.add(key);
  const types = new Map<string, FieldType>();
  for (const key of keys) {
    const type = typeOf(subjectType, key);
    if (type !== undefined) types.set(key, type);
  }
  return types;
}

async function encodeChange({ sequence, change }: SequencedChange, breather: Breather): Promise<EncodedChange> {
  const { replaced, merges, unmerges, removed, evaluation, renamed } = change;
  const events: string[] = [];
  const origins: string[] = [];
  for (const event of change.events) {
    if (breather.isDue) await breather.pause();
    events.push(serialiseEvent(event));
    origins.push(event.origin_id);
  }
  const rare = {
    ...(evaluation ? { evaluation } : {}),
    ...(renamed ? { renamed } : {}),
    ...(unmerges ? { unmerges } : {}),
  };
  return { sequence, events, origins, replaced, merges, removed, ...rare };
}

async function decodeChange(encoded: EncodedChange, breather: Breather): Promise<SequencedChange> {
  const { sequence, events: texts, origins, ...rest } = encoded;
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
