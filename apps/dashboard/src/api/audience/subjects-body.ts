import { NAMING_FIELDS, type SubjectType } from "@muster/protocol";
import type { JsonObject } from "@muster/protocol/api/schema";

export interface SubjectQuestion {
  target: SubjectType;
  text: string;
  predicate: JsonObject;
  /** A field, and which end comes first. */
  sort: { key: string; direction: "asc" | "desc" };
  /** The fields that are shown. */
  fields: readonly string[];
}

const PER_PAGE = 100;

/** What the API is asked for the first page of a list of users or accounts. */
export function subjectsBody({ target, text, predicate, sort, fields }: SubjectQuestion) {
  return {
    target,
    text,
    predicate,
    sort: { [sort.key]: sort.direction },
    per_page: PER_PAGE,
    include: [...new Set([...fields, ...NAMING_FIELDS])],
  };
}
