import type { DocumentProgress, Progress } from "../../projection.js";
import type { Statements } from "../client/statements.js";

/** A stored version of the progress. The highest version is valid. */
export interface StoredProgress extends Progress {
  version: number;
}

interface ProgressRow {
  generation: string;
  sequence: number;
  documents_kind: "" | DocumentProgress["kind"];
  documents_after: string;
  documents_count: number;
  documents_until: number;
  version: number;
}

/** The progress of an organization without data. */
export const NOTHING: Progress = {
  generation: undefined,
  sequence: 0,
  documents: undefined,
  documentsUntil: 0,
  documentCount: 0,
};

export async function readProgress(statements: Statements, organizationId: string): Promise<StoredProgress> {
  const [row] = await statements.rows<ProgressRow>(
    `select generation, sequence, documents_kind, documents_after, documents_count, documents_until, version
     from progress
     where org = {org:FixedString(24)}
     order by version desc
     limit 1`,
    { org: organizationId },
  );
  if (!row) return { ...NOTHING, version: 0 };
  const { documents_kind: kind, documents_after: afterId } = row;
  return {
    generation: row.generation === "" ? undefined : row.generation,
    sequence: row.sequence,
    documents: kind === "" ? undefined : { kind, afterId },
    documentsUntil: row.documents_until,
    documentCount: row.documents_count,
    version: row.version,
  };
}

/** Stores progress. Must be called after its rows are written. Only one process at a time projects an organization. */
export async function writeProgress(
  statements: Statements,
  organizationId: string,
  before: StoredProgress,
  change: Partial<Progress>,
): Promise<StoredProgress> {
  const progress = { ...before, ...change, version: before.version + 1 };
  const { documents } = progress;
  await statements.run(
    `insert into progress (org, generation, sequence, documents_kind, documents_after, documents_count, documents_until, version)
     select {org:FixedString(24)}, {generation:String}, {sequence:UInt64}, {kind:String}, {after:String}, {count:UInt64},
       {until:UInt64}, {version:UInt64}`,
    {
      org: organizationId,
      generation: progress.generation ?? "",
      sequence: progress.sequence,
      kind: documents?.kind ?? "",
      after: documents?.afterId ?? "",
      count: progress.documentCount,
      until: progress.documentsUntil,
      version: progress.version,
    },
  );
  return progress;
}

/** The organizations with progress. An organization with rows always has it, because it is deleted last. */
export async function organizationsWithProgress(statements: Statements): Promise<string[]> {
  const rows = await statements.rows<{ org: string }>("select distinct org from progress order by org");
  return rows.map(({ org }) => org);
}
