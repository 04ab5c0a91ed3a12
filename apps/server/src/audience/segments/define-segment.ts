import { Refusal, type SubjectType } from "@muster/protocol";
import type { NewSegment } from "@muster/protocol/api/segments";
import { changesWithTime, parse, predicateToQuery } from "@muster/query";
import type { SegmentDefinition, SegmentNotes } from "../../storage/postgres/segments/segments.js";

type Json = Record<string, unknown>;

/** What a segment is, or would be. A query that is empty is made from the predicate. */
export type GivenDefinition = Omit<NewSegment, "type">;

/** The notes of a segment, as they are stored: without spaces around them and without the same tag twice. */
export function readNotes({ description, tags, folder }: Partial<SegmentNotes>): Partial<SegmentNotes> {
  const byText = new Map(tags?.map((tag) => [tag.trim().toLowerCase(), tag.trim()]));
  byText.delete("");
  return {
    ...(description === undefined ? {} : { description: description.trim() }),
    ...(tags === undefined ? {} : { tags: [...byText.values()] }),
    ...(folder === undefined ? {} : { folder: folder.trim() }),
  };
}

/** Checks a definition. An empty query is replaced by the query of the predicate, if there is one. */
export function defineSegment(
  subjectType: SubjectType,
  { name, query, predicate }: GivenDefinition,
): SegmentDefinition {
  const isEmpty = Object.keys(query).length === 0;
  const effective =
    isEmpty && Object.keys(predicate).length > 0 ? predicateToQuery(predicate, { target: subjectType }) : query;
  if (typeof effective !== "object" || effective === null) {
    throw new Refusal("invalid_query", "The predicate cannot be turned into a query.");
  }
  const tree = parse(effective, { target: subjectType });
  return { name, query: effective as Json, predicate, changesWithTime: changesWithTime(tree) };
}
