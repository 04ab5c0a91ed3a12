import type { SubjectType } from "@muster/protocol";
import type { SubjectQuestion } from "../../api/audience/subjects-body.js";

/** What a list of users or accounts shows to somebody who has chosen nothing. */

export interface ListColumn {
  key: string;
  /** In pixels; left out for the usual width. */
  width?: number;
}

export interface ListSort {
  key: string;
  direction: "asc" | "desc";
}

export const USUAL_COLUMNS: Record<SubjectType, readonly ListColumn[]> = {
  user: [
    { key: "name" },
    { key: "email", width: 240 },
    { key: "external_id" },
    { key: "account" },
    { key: "created_at" },
    { key: "last_seen_at" },
  ],
  account: [{ key: "name", width: 200 }, { key: "domain", width: 200 }, { key: "external_id" }, { key: "created_at" }],
};

export const USUAL_SORT: ListSort = { key: "created_at", direction: "desc" };

/** Every row needs these, whatever its columns are. */
const ALWAYS = ["id", "name", "email", "domain", "external_id"];

/** The fields of reports that columns show. */
export function fieldsOf(columns: readonly ListColumn[]): string[] {
  return [...new Set([...ALWAYS, ...columns.map(({ key }) => (key.startsWith("account.") ? "account" : key))])];
}

export function usualQuestion(target: SubjectType): SubjectQuestion {
  return { target, text: "", predicate: {}, sort: USUAL_SORT, fields: fieldsOf(USUAL_COLUMNS[target]) };
}
