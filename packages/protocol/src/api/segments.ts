import { type Static, Type } from "typebox";
import { OptionalPageQuery, PageQuery } from "./paging.js";
import { Predicate } from "./predicates.js";
import { Query } from "./queries.js";
import { anyObjectAs, anyValueAs, nullable } from "./schema.js";
import { UserReport } from "./subjects.js";
import { AttributeValue } from "./values.js";

export const MAX_SEGMENT_NAME_LENGTH = 200;
export const MAX_SEGMENT_DESCRIPTION_LENGTH = 2_000;
export const MAX_SEGMENT_TAGS = 20;
export const MAX_SEGMENT_TAG_LENGTH = 50;
export const MAX_SEGMENT_FOLDER_LENGTH = 100;

/** Conditions of a query that are counted one after the other. */
export const MAX_COUNTED_CLAUSES = 20;

const query = anyObjectAs(Query);
const predicate = anyObjectAs(Predicate);
const SegmentName = Type.String({ minLength: 1, maxLength: MAX_SEGMENT_NAME_LENGTH });

const NOTES = {
  description: Type.String({ maxLength: MAX_SEGMENT_DESCRIPTION_LENGTH, description: "What it is for." }),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: MAX_SEGMENT_TAG_LENGTH }), {
    maxItems: MAX_SEGMENT_TAGS,
    description: "Words to find it by.",
  }),
  folder: Type.String({
    maxLength: MAX_SEGMENT_FOLDER_LENGTH,
    description: "Where it is in the list. Empty: in no folder.",
  }),
};

/** What people note about a segment; all of it may be left out. */
const GIVEN_NOTES = {
  description: Type.Optional(NOTES.description),
  tags: Type.Optional(NOTES.tags),
  folder: Type.Optional(NOTES.folder),
};

const Stats = Type.Object(
  { users: Type.Optional(Type.Integer()), accounts: Type.Optional(Type.Integer()) },
  { description: "How many members it has." },
);

export const SegmentWarning = Type.Object(
  {
    path: Type.String({ description: "Where the clause is in the query." }),
    attribute: Type.String({ description: "The attribute that nobody has so far." }),
    suggestion: nullable(Type.String(), { description: "An attribute with a similar name." }),
    message: Type.String(),
  },
  { component: "SegmentWarning", description: "What is probably wrong with a query that is allowed." },
);
export type SegmentWarning = Static<typeof SegmentWarning>;

const warnings = Type.Array(SegmentWarning, {
  description: "Attributes in the query that nobody has, so that no clause about them can hold. 20 at most.",
});

const SEGMENT = {
  id: Type.String(),
  name: Type.String(),
  type: Type.Enum(["users_segment", "accounts_segment"]),
  query,
  predicate,
  ...NOTES,
  stats: Stats,
  evaluated: Type.Boolean({
    description:
      "Whether the members are those of the present query. False until they are found, after it was created or its query changed.",
  }),
  evaluated_at: nullable(Type.String(), {
    description: "When everybody was last compared with the query. Records move their own users and accounts at once.",
  }),
  stale_seconds: Type.Number({
    description:
      "For how long somebody may be missing or too many: since everybody was last compared with a query that names `now`, since the query was changed, or since it cannot be evaluated. 0 when records keep the members up to date.",
  }),
  status: Type.Enum(["ok", "broken"], {
    description: "`broken` when the query cannot be evaluated. The segment keeps the members it had.",
  }),
  error: nullable(Type.String(), { description: "Why it is broken." }),
  created_at: Type.String(),
  updated_at: Type.String(),
};

export const Segment = Type.Object(
  { ...SEGMENT, warnings: Type.Optional(warnings) },
  {
    additionalProperties: true,
    component: "Segment",
    description: "A saved query, and how many match it now. Lists have no `warnings`.",
  },
);
export type Segment = Static<typeof Segment>;

export const JoinedSegment = Type.Object(
  {
    ...SEGMENT,
    query: Type.Optional(query),
    predicate: Type.Optional(predicate),
    ...GIVEN_NOTES,
    stats: Type.Optional(Stats),
    evaluated: Type.Optional(SEGMENT.evaluated),
    evaluated_at: Type.Optional(SEGMENT.evaluated_at),
    stale_seconds: Type.Optional(SEGMENT.stale_seconds),
    entered_at: Type.String(),
  },
  {
    component: "JoinedSegment",
    description:
      "With a user's token there is no `query`, `predicate`, `description`, `tags`, `folder`, `stats`, `evaluated`, `evaluated_at` and `stale_seconds`, and `error` is null.",
  },
);
export type JoinedSegment = Static<typeof JoinedSegment>;

export const NewSegment = Type.Object({
  name: SegmentName,
  query,
  predicate,
  ...GIVEN_NOTES,
  type: Type.Optional(
    Type.Enum(["users_segment", "accounts_segment"], { description: "Default: the type that the path says." }),
  ),
});
export type NewSegment = Static<typeof NewSegment>;

export const SegmentChange = Type.Object(
  {
    name: Type.Optional(SegmentName),
    query: Type.Optional(Query),
    predicate: Type.Optional(Predicate),
    ...GIVEN_NOTES,
  },
  { component: "SegmentChange", description: "Of a segment." },
);
export type SegmentChange = Static<typeof SegmentChange>;

/** A segment that is not saved. */
export const SegmentDraft = Type.Object({
  query: Type.Optional(query),
  predicate: Type.Optional(predicate),
  segment_id: Type.Optional(Type.String({ description: "A saved segment, to compare with." })),
  type: Type.Optional(Type.Enum(["users_segment", "accounts_segment"], { description: "Default: `users_segment`." })),
});
export type SegmentDraft = Static<typeof SegmentDraft>;

export const Explanation = Type.Object(
  {
    matches: Type.Boolean({ description: "Whether the user or account matches the query." }),
    clauses: Type.Array(
      Type.Object({
        path: Type.String({ description: "Where the clause is in the query." }),
        sentence: Type.String({ description: "The clause in words." }),
        negated: Type.Boolean({ description: "Whether it is under a `must_not`, so that it should not hold." }),
        holds: Type.Boolean(),
        seen: anyValueAs(AttributeValue, { description: "What it was compared with, or the number of events." }),
      }),
    ),
  },
  { component: "Explanation", description: "Why a query matches, clause by clause." },
);
export type Explanation = Static<typeof Explanation>;

export const SegmentImpact = Type.Object(
  {
    total: Type.Integer({ description: "All users, or all accounts." }),
    size_before: Type.Integer(),
    size_after: Type.Integer(),
    entering: Type.Integer(),
    leaving: Type.Integer(),
    share: Type.Number({ description: "Which part of all would enter or leave, from 0 to 1." }),
    connectors: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        enabled: Type.Boolean({ description: "A disabled connector gets its messages when it is enabled." }),
        messages: Type.Integer(),
      }),
      { description: "The connectors that would get messages about those who move, the most messages first." },
    ),
  },
  { component: "SegmentImpact", description: "What saving a segment would do." },
);
export type SegmentImpact = Static<typeof SegmentImpact>;

export const SegmentUse = Type.Object(
  {
    segment_id: Type.String(),
    connectors: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        enabled: Type.Boolean(),
        settings: Type.Array(
          Type.Object({
            path: Type.String({ description: "Where the setting is in the connector's record." }),
            title: Type.String(),
          }),
          { description: "The settings that name the segment." },
        ),
      }),
    ),
    segments: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), type: Type.String() }), {
      description: "The segments whose query asks about it.",
    }),
  },
  { component: "SegmentUse", description: "The connectors and segments that use a segment." },
);
export type SegmentUse = Static<typeof SegmentUse>;

const Reports = Type.Array(anyObjectAs(UserReport, { description: "The report of a user, or of an account." }));
const Sample = Type.Object({ count: Type.Integer(), sample: Reports });

const SegmentPreview = Type.Object({ ...Sample.properties, entering: Sample, leaving: Sample, warnings });
export type SegmentPreview = Static<typeof SegmentPreview>;

const subject = Type.String({ description: "A user or account id, or `me`." });
const ListQuery = Type.Object({
  ...OptionalPageQuery.properties,
  tag: Type.Optional(Type.String({ description: "Only segments with this tag, whatever its case." })),
  folder: Type.Optional(Type.String({ description: "Only segments in this folder. Empty: those in none." })),
});
const list = { querystring: ListQuery, response: { 200: Type.Array(Segment) } };
const create = { body: NewSegment, response: { 201: Segment } };

export const SEGMENTS_API = {
  "GET /api/v1/segments": list,
  "GET /api/v1/users_segments": list,
  "GET /api/v1/accounts_segments": list,
  "POST /api/v1/users_segments": create,
  "POST /api/v1/accounts_segments": create,
  "GET /api/v1/{id}/segments": {
    params: Type.Object({ id: subject }),
    querystring: OptionalPageQuery,
    response: { 200: Type.Array(JoinedSegment) },
  },
  "GET /api/v1/{id}/segments/{segment_id}/explain": {
    params: Type.Object({ id: subject, segment_id: Type.String({ description: "The id of a segment." }) }),
    response: { 200: Explanation },
  },
  "POST /api/v1/segments/count": {
    body: SegmentDraft,
    response: {
      200: Type.Object({
        count: Type.Integer(),
        total: Type.Integer({ description: "All users, or all accounts." }),
        took_ms: Type.Number({ description: "How long the answer took on the server." }),
      }),
    },
  },
  "POST /api/v1/segments/clauses": {
    body: SegmentDraft,
    response: {
      200: Type.Object({
        total: Type.Integer({ description: "All users, or all accounts." }),
        clauses: Type.Array(
          Type.Object({
            path: Type.String({ description: "Where the condition is in the predicate." }),
            count: Type.Integer({ description: "How many are left after this condition and those before it." }),
          }),
          {
            description: `The conditions of the outermost group in order, ${MAX_COUNTED_CLAUSES} at most. Empty for a query that has no form as a predicate.`,
          },
        ),
      }),
    },
  },
  "POST /api/v1/segments/overlap": {
    body: Type.Object({
      segment_ids: Type.Array(Type.String(), {
        minItems: 2,
        maxItems: 3,
        uniqueItems: true,
        description: "Segments of users, or segments of accounts.",
      }),
    }),
    response: {
      200: Type.Object({
        total: Type.Integer({ description: "All users, or all accounts." }),
        segments: Type.Array(
          Type.Object({ id: Type.String(), name: Type.String(), type: Type.String(), count: Type.Integer() }),
        ),
        regions: Type.Array(
          Type.Object({
            segment_ids: Type.Array(Type.String(), {
              description: "They are in all of these, and in none of the others.",
            }),
            count: Type.Integer(),
          }),
          { description: "Every region of the overlap, the smallest combination first. Nobody is in two of them." },
        ),
      }),
    },
  },
  "POST /api/v1/segments/preview": {
    body: SegmentDraft,
    response: { 200: SegmentPreview },
  },
  "POST /api/v1/segments/convert": {
    body: SegmentDraft,
    response: {
      200: Type.Object({
        query,
        predicate: nullable(predicate, {
          description: "Null when the query has no form as a predicate, so that a builder cannot show it.",
        }),
        sentence: Type.String({ description: "The query in words." }),
        warnings,
        unchanged: Type.Optional(
          Type.Boolean({
            description:
              "Whether the query means the same as that of the saved segment, whatever the order of its clauses and values. Only with `segment_id`.",
          }),
        ),
      }),
    },
  },
  "GET /api/v1/segments/uses": { querystring: PageQuery, response: { 200: Type.Array(SegmentUse) } },
  "GET /api/v1/{id}/uses": {
    params: Type.Object({ id: Type.String({ description: "The id of a segment." }) }),
    response: { 200: SegmentUse },
  },
  "POST /api/v1/segments/impact": { body: SegmentDraft, response: { 200: SegmentImpact } },
};
