import { type Static, Type } from "typebox";
import { Merge, Writer } from "./history.js";
import { PageQuery } from "./paging.js";
import { anyObjectAs, mapOf, nullable, withDefault } from "./schema.js";
import { AttributeValue, OptionalText, OptionalTime, Time } from "./values.js";

export const MergeRecord = Type.Object(
  {
    merged_at: Time,
    ...Merge.properties,
    merged_into: nullable(Type.String(), {
      description: "The id of the one that it was merged into, if that one is part of this subject itself.",
    }),
    can_undo: Type.Boolean(),
    why_not: Type.String({ description: "Why it cannot be undone; empty when it can." }),
  },
  { component: "MergeRecord", description: "A user or account that was merged into another one." },
);
export type MergeRecord = Static<typeof MergeRecord>;

export const SubjectMerges = Type.Object(
  {
    id: Type.String(),
    type: Type.Enum(["user", "account"]),
    merges: Type.Array(MergeRecord, { description: "The latest first, at most 200." }),
    undone: Type.Array(
      Type.Object({ merged_id: Type.String(), survivor_id: Type.String(), merged_at: Time, undone_at: Time }),
      { description: "Merges with it that were undone, the latest first, at most 200." },
    ),
  },
  { component: "SubjectMerges", description: "The merges of a user or account." },
);
export type SubjectMerges = Static<typeof SubjectMerges>;

const ChosenIdentifier = Type.Object({
  kind: Type.Enum(["external_id", "email", "domain", "anonymous_id"]),
  value: Type.String(),
});

export const UnmergeChoices = Type.Object(
  {
    attributes: Type.Optional(Type.Array(Type.String(), { maxItems: 2_000, description: "Names of attributes." })),
    identifiers: Type.Optional(Type.Array(ChosenIdentifier, { maxItems: 2_000 })),
    account: Type.Optional(Type.Boolean({ description: "The link to the account." })),
    events: Type.Optional(Type.Boolean({ description: "All events of which nobody can tell whose they are." })),
  },
  {
    component: "UnmergeChoices",
    description:
      "Of that which cannot be decided, what goes to the one that is split off. The rest stays with the survivor.",
  },
);
export type UnmergeChoices = Static<typeof UnmergeChoices>;

export const SubjectHalf = Type.Object(
  {
    id: Type.String(),
    identifiers: mapOf(Type.Array(Type.String()), "The values, by the kind of identifier."),
    attributes: Type.Array(
      Type.Object({
        name: Type.String(),
        value: AttributeValue,
        set_at: Time,
        set_by: nullable(Writer, { description: "Null when it was not kept." }),
      }),
    ),
    events: nullable(Type.Integer(), { description: "How many there are; null when nobody has counted them." }),
    account: nullable(Type.Object({ id: Type.String(), name: OptionalText }), { description: "Of users only." }),
    created_at: Time,
    last_seen_at: OptionalTime,
    segments: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        now: Type.Boolean({ description: "Whether the merged one is a member." }),
        after: nullable(Type.Boolean(), {
          description: "Whether this one will be a member; null when only the evaluation can tell.",
        }),
      }),
      { description: "The segments that the merged one or this one is in." },
    ),
  },
  { component: "SubjectHalf", description: "What a user or account is once the merge is undone." },
);
export type SubjectHalf = Static<typeof SubjectHalf>;

export const UnmergePreview = Type.Object(
  {
    dry_run: Type.Literal(true),
    survivor: SubjectHalf,
    split_off: SubjectHalf,
    undecided: Type.Object(
      {
        attributes: Type.Array(
          Type.Object({
            name: Type.String(),
            value: AttributeValue,
            otherwise: AttributeValue,
            set_at: Time,
            set_by: nullable(Writer, { description: "Null when it was not kept." }),
          }),
          { description: "`otherwise` is what the survivor has if the value is chosen for the one that is split off." },
        ),
        identifiers: Type.Array(ChosenIdentifier),
        account: Type.Boolean(),
        events: Type.Integer(),
      },
      {
        description:
          "What records have written since the merge that name both, or the survivor by its id. It stays with the survivor unless it is chosen.",
      },
    ),
    connectors: Type.Array(Type.Object({ id: Type.String(), name: OptionalText }), {
      description: "They are told of both, as far as their filters, purposes and events let them.",
    }),
  },
  { component: "UnmergePreview", description: "Both halves of a merge, and what nobody can decide." },
);
export type UnmergePreview = Static<typeof UnmergePreview>;

export const Unmerged = Type.Object(
  {
    position: Type.String({ description: "Where the entry is in the ingestion log." }),
    id: Type.String({ description: "The survivor." }),
    unmerged_id: Type.String({ description: "The one that was split off. It has its former id again." }),
  },
  { component: "Unmerged", description: "A merge that was undone." },
);
export type Unmerged = Static<typeof Unmerged>;

export const DoNotMerge = Type.Object(
  {
    id: Type.String(),
    type: Type.Enum(["user", "account"]),
    subject_ids: Type.Array(Type.String(), { description: "The two that are not merged." }),
    created_at: Time,
  },
  { component: "DoNotMerge", description: "A decision that two users or accounts must not be merged." },
);
export type DoNotMerge = Static<typeof DoNotMerge>;

const params = Type.Object({ id: Type.String({ description: "The id of a user or account." }) });

export const MERGES_API = {
  "GET /api/v1/{id}/merges": { params, response: { 200: anyObjectAs(SubjectMerges) } },
  "POST /api/v1/{id}/unmerge": {
    params,
    body: Type.Object({
      merged_id: Type.String({ description: "The id that the merged one had." }),
      dry_run: withDefault(false, Type.Boolean({ description: "Only show what would be." })),
      never_again: withDefault(
        true,
        Type.Boolean({ description: "The two are not merged again until the decision is removed from the list." }),
      ),
      choices: Type.Optional(UnmergeChoices),
    }),
    response: {
      200: Type.Unsafe<Static<typeof UnmergePreview> | Static<typeof Unmerged>>({
        anyOf: [UnmergePreview, Unmerged],
        description: "The preview with `dry_run`, otherwise what was done.",
      }),
    },
  },
  "GET /api/v1/do_not_merge": { querystring: PageQuery, response: { 200: Type.Array(DoNotMerge) } },
  "DELETE /api/v1/do_not_merge/{id}": {
    params: Type.Object({ id: Type.String({ description: "The id of the decision." }) }),
    response: { 200: Type.Object({ id: Type.String(), deleted: Type.Literal(true) }) },
  },
};
