import { type Static, Type } from "typebox";
import { PageQuery } from "./paging.js";

const Counts = Type.Record(Type.String(), Type.Integer(), { description: "Numbers by kind of data." });

export const Erasure = Type.Object(
  {
    id: Type.String({ description: "The id that the erased user or account had." }),
    type: Type.Enum(["user", "account"]),
    status: Type.Enum(["cleaning", "complete"], {
      description: "`complete` once logs, queues and files are clean too.",
    }),
    erased_at: Type.String({ format: "date-time" }),
    cleaned_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
    removed: Type.Record(Type.String(), Type.Integer(), { description: "How much was removed at once, by kind." }),
    cleaned: Type.Union([Counts, Type.Null()], {
      description: "How much the clean-up removed, by kind, for all users and accounts that it was about.",
    }),
    left: Type.Array(
      Type.Object({
        kind: Type.Enum(["comment", "segment", "computed_attribute", "entity", "connector"]),
        id: Type.String(),
        object_id: Type.Optional(Type.String({ description: "Of a comment: the user or account that it is on." })),
        why: Type.String(),
      }),
      {
        description:
          "What people wrote that names the erased user or account, for a decision. What is deleted or changed since is not listed any more.",
      },
    ),
    copies: Type.Array(
      Type.Object({
        where: Type.String(),
        gone_by: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
        note: Type.Optional(Type.String()),
      }),
      {
        description: "Where copies may be, and when the last of them is gone at the latest; null when it is not known.",
      },
    ),
  },
  { component: "Erasure", description: "The receipt of an erasure." },
);
export type Erasure = Static<typeof Erasure>;

export const ERASURES_API = {
  "GET /api/v1/erasures": { querystring: PageQuery, response: { 200: Type.Array(Erasure) } },
  "GET /api/v1/erasures/{id}": {
    params: Type.Object({ id: Type.String({ description: "The id that the user or account had." }) }),
    response: { 200: Erasure },
  },
};
