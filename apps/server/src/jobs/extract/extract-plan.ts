import type { SubjectType } from "@muster/protocol";
import { parse, reportKey, type Target } from "@muster/query";
import { hiddenKeys, loadAttributeTypes } from "../../audience/attributes/attribute-definitions.js";
import { extractColumns, type KnownColumns, type TypedColumn } from "../../domain/jobs/extract-columns.js";
import { type Job, targetOf } from "../../domain/jobs/job.js";
import type { Database } from "../../storage/postgres/database.js";
import { listAttributes } from "../../storage/postgres/definitions/attribute-rows.js";
import { listSegments } from "../../storage/postgres/segments/segments.js";
import type { Selection } from "../../storage/questions/asking.js";
import type { ExtractSegments } from "../../storage/questions/extracting.js";
import type { ExtractParameters } from "../parameters/extract-parameters.js";
import type { HiddenAttributes } from "./hide-attributes.js";
import { purposesOf, withConsents } from "./withhold.js";

/** What an extract reads and writes: which rows, which columns, which attributes it leaves out. */
export interface ExtractPlan {
  selection: Selection;
  /** The selection with those who are left out, because they have not agreed to the purposes of the extract. */
  everybody?: Selection;
  segments: ExtractSegments;
  /** Empty for JSON. */
  columns: TypedColumn[];
  /** Whether cells that a spreadsheet would run as a formula stay as they are. */
  formulas: boolean;
  hidden: HiddenAttributes;
}

export async function planExtract(database: Database, job: Job<ExtractParameters>): Promise<ExtractPlan> {
  const { organizationId: org, parameters } = job;
  const target = targetOf(job.object);
  const attributeTypes = await loadColumns(database, org);
  const segmentsOf = async (subjectType: SubjectType) =>
    (await listSegments(database, org, subjectType)).map(({ id }) => id);
  const hidden: HiddenAttributes = {
    own: target === "event" ? [] : await hiddenKeys(database, org, target),
    account: target === "user" ? await hiddenKeys(database, org, "account") : [],
  };
  // The whole file shows one moment, also when the job is interrupted and goes on later.
  const now = job.startedAt ?? job.createdAt;
  const selectionOf = (query: unknown) => ({ target, query: parse(query, { target }), attributeTypes, now });
  const purposes = await purposesOf(database, job);
  return {
    selection: selectionOf(withConsents(parameters.query, purposes)),
    ...(purposes.length === 0 ? {} : { everybody: selectionOf(parameters.query) }),
    segments: {
      own: target === "event" ? [] : await segmentsOf(target),
      account: target === "user" ? await segmentsOf("account") : [],
    },
    columns: columnsOf(parameters, target, attributeTypes),
    formulas: parameters.csvFormulas ?? false,
    hidden,
  };
}

function columnsOf({ format, fields }: ExtractParameters, target: Target, attributeTypes: KnownColumns): TypedColumn[] {
  if (format === "json") return [];
  const columns = extractColumns(target, fields ?? undefined, attributeTypes);
  // A name can be there once in a Parquet file.
  return format === "csv" ? columns : [...new Map(columns.map((column) => [column.header, column])).values()];
}

async function loadColumns(database: Database, organizationId: string): Promise<KnownColumns> {
  const attributeTypes = await loadAttributeTypes(database, organizationId);
  const keys = { user: [] as string[], account: [] as string[] };
  const hidden = { user: new Set<string>(), account: new Set<string>() };
  for (const target of ["user", "account"] as const) {
    for (const { name, visible } of await listAttributes(database, organizationId, target)) {
      if (visible) keys[target].push(reportKey(target, name));
      else hidden[target].add(reportKey(target, name));
    }
    keys[target].sort();
  }
  return {
    ...attributeTypes,
    visibleKeys: (target) => keys[target],
    isHidden: (target, key) => hidden[target].has(key),
  };
}
