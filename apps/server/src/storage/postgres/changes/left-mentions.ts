import type { Pseudonyms } from "../../../domain/erasure/pseudonyms.js";
import type { Transaction } from "../database.js";

/** Something that people wrote, that names an erased subject, and that is theirs to change. */
export interface LeftMention {
  kind: LeftKind;
  id: string;
  /** Of a comment: what the comment is on. */
  objectId?: string;
}

export type LeftKind = "comment" | "segment" | "computed_attribute" | "entity" | "connector";

/** The text of each kind, and what it is on. Settings that are sealed cannot be read here. */
const SOURCES: readonly { kind: LeftKind; from: string; objectId: string; text: string }[] = [
  { kind: "comment", from: "comments", objectId: "object_id", text: "body" },
  {
    kind: "segment",
    from: "segments",
    objectId: "null",
    text: "concat_ws(' ', name, description, folder, tags::text, query::text, predicate::text)",
  },
  {
    kind: "computed_attribute",
    from: "computed_attributes",
    objectId: "null",
    text: "concat_ws(' ', name, description, compute::text)",
  },
  { kind: "entity", from: "entities", objectId: "null", text: "concat_ws(' ', uid, document::text)" },
  {
    kind: "connector",
    from: "connectors",
    objectId: "null",
    text: "concat_ws(' ', name, settings::text, status_messages::text)",
  },
];

/** What names each of the erased subjects and is left for a decision, by the id of the subject. */
export async function listLeftMentions(
  tx: Transaction,
  organizationId: string,
  pseudonyms: Pseudonyms,
): Promise<Map<string, LeftMention[]>> {
  const left = new Map<string, LeftMention[]>();
  for (const { kind, from, objectId, text } of SOURCES) {
    const found = new Map<string, { id: string; object_id: string | null; text: string }>();
    for (const pattern of pseudonyms.patterns) {
      const { rows } = await tx.query<{ id: string; object_id: string | null; text: string }>(
        `select id, ${objectId}::text as object_id, ${text} as text
         from ${from}
         where organization_id = $1 and lower(${text}) ~ $2
         order by id`,
        [organizationId, pattern],
      );
      for (const row of rows) found.set(row.id, row);
    }
    for (const row of found.values()) {
      const mention: LeftMention = { kind, id: row.id, ...(row.object_id === null ? {} : { objectId: row.object_id }) };
      for (const subject of pseudonyms.idsIn(row.text)) left.set(subject, [...(left.get(subject) ?? []), mention]);
    }
  }
  return left;
}

/** SQL for those entries of `e.left_mentions` that still exist and were not changed since the clean-up. */
export const STILL_LEFT = `(
    select coalesce(jsonb_agg(m order by position), '[]')
    from jsonb_array_elements(e.left_mentions) with ordinality as l (m, position)
    where ${SOURCES.map(
      ({ kind, from }) =>
        `(m ->> 'kind' = '${kind}' and exists (
           select from ${from} t
           where t.organization_id = e.organization_id and t.id = m ->> 'id' and t.updated_at <= e.cleaned_at
         ))`,
    ).join(" or ")}
  )`;
