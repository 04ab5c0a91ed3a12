import { type Static, Type } from "typebox";
import { PageQuery } from "./paging.js";
import { Predicate } from "./predicates.js";
import { Query } from "./queries.js";
import { anyObjectAs, nullable, withDefault } from "./schema.js";
import { Segment } from "./segments.js";

export const SegmentVersion = Type.Object(
  {
    number: Type.Integer({ description: "1 is the first." }),
    name: Type.String(),
    query: anyObjectAs(Query),
    predicate: anyObjectAs(Predicate),
    sentence: Type.String({ description: "The query in words." }),
    changes: Type.Object(
      {
        renamed_from: nullable(Type.String()),
        added: Type.Array(Type.String(), { description: "Conditions that the version before did not have, in words." }),
        removed: Type.Array(Type.String(), { description: "Conditions that only the version before had, in words." }),
      },
      { description: "What is different from the version before." },
    ),
    who: nullable(Type.String(), { description: "Who saved it. Null when it was saved before versions were kept." }),
    restored: nullable(Type.Integer(), { description: "The version whose query was restored by this one." }),
    saved_at: Type.String(),
  },
  { component: "SegmentVersion", description: "A definition that a segment has had." },
);
export type SegmentVersion = Static<typeof SegmentVersion>;

export const SegmentMove = Type.Object(
  {
    action: Type.Enum(["entered", "left"]),
    at: Type.String(),
    subject: Type.Object({
      id: Type.String(),
      name: nullable(Type.String(), {
        description: "The name, e-mail address, domain or external id, if there is one.",
      }),
    }),
  },
  { component: "SegmentMove", description: "Somebody who entered or left a segment." },
);
export type SegmentMove = Static<typeof SegmentMove>;

export const SegmentPast = Type.Object(
  {
    at: Type.String(),
    version: nullable(Type.Integer(), {
      description: "The version of the definition that held then; null before the first one.",
    }),
    before: Type.Integer({ description: "How many members it had then." }),
    now: Type.Integer({ description: "How many it has now." }),
    entered: Type.Integer({ description: "How many are members now and were not then." }),
    left: Type.Integer({ description: "How many were members then and are not now." }),
    data: Type.Array(SegmentMove.properties.subject, {
      description: "Those whom `who` asks for, in the order of their ids.",
    }),
    next: nullable(Type.String(), { description: "The `after` of the next page; null on the last one." }),
  },
  {
    component: "SegmentPast",
    description: "The members of a segment at a moment. Subjects that were merged or erased since are not among them.",
  },
);
export type SegmentPast = Static<typeof SegmentPast>;

const MAX_MOVES = 200;

const segment = Type.Object({ id: Type.String({ description: "The id of a segment." }) });

export const SEGMENT_HISTORY_API = {
  "GET /api/v1/{id}/moves": {
    params: segment,
    querystring: Type.Object({
      action: Type.Optional(Type.Enum(["entered", "left"], { description: "Default: both." })),
      per_page: withDefault(50, Type.Integer({ minimum: 1, maximum: MAX_MOVES, description: "Moves per page." })),
      cursor: Type.Optional(Type.String({ maxLength: 1_000, description: "The `next` of the page before." })),
    }),
    response: {
      200: Type.Object({
        data: Type.Array(SegmentMove),
        next: nullable(Type.String(), { description: "The `cursor` of the next page; null on the last one." }),
      }),
    },
  },
  "GET /api/v1/{id}/as_of": {
    params: segment,
    querystring: Type.Object({
      at: Type.String({ format: "date-time", description: "The moment." }),
      who: withDefault(
        "before",
        Type.Enum(["before", "entered", "left"], {
          description:
            "Whom to list: the members then, those who are members now and were not then, or those who were and are not now.",
        }),
      ),
      per_page: withDefault(50, Type.Integer({ minimum: 1, maximum: MAX_MOVES, description: "Subjects per page." })),
      after: Type.Optional(Type.String({ maxLength: 24, description: "The `next` of the page before." })),
    }),
    response: { 200: SegmentPast },
  },
  "GET /api/v1/{id}/versions": {
    params: segment,
    querystring: PageQuery,
    response: { 200: Type.Array(SegmentVersion) },
  },
  "POST /api/v1/{id}/versions/{number}/restore": {
    params: Type.Object({
      ...segment.properties,
      number: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: "The number of the version." }),
    }),
    response: { 200: Segment },
  },
};
