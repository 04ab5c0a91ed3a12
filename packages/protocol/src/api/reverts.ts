import { type Static, Type } from "typebox";
import { Job } from "./jobs.js";
import { withDefault } from "./schema.js";

/** One thing that an undo does or would do, as the `samples` of its job show it. */
export const UndoSample = Type.Object(
  {
    what: Type.Enum(["returned", "unset", "stayed", "subjects_removed", "subjects_stayed", "subjects_restored"], {
      description: "The number in the result that it is counted in.",
    }),
    subject: Type.Enum(["user", "account"]),
    id: Type.String(),
    attribute: Type.Optional(Type.String()),
    from: Type.Optional(Type.Unknown({ description: "The value now." })),
    to: Type.Optional(Type.Unknown({ description: "The value after the undo." })),
  },
  { component: "UndoSample" },
);
export type UndoSample = Static<typeof UndoSample>;

const count = (description: string) => Type.Integer({ description });

/** The `result` of a completed undo, and of its dry run. */
export const UndoResult = Type.Object(
  {
    dry_run: Type.Boolean({ description: "Nothing was changed." }),
    returned: count("Values that got back what they were."),
    unset: count("Attributes that had no value before, and have none now."),
    stayed: count("Values that somebody else has written since. They stay."),
    subjects_removed: count("Users and accounts that existed only because of it."),
    subjects_stayed: count("Users and accounts that it created and that others have used since. They stay."),
    subjects_restored: count("Users and accounts that come back when an undo is undone."),
    identifiers_removed: count("Identifiers that it had given to known users and accounts."),
    identifiers_stayed: count("Identifiers that stay, because others have written their user or account since."),
    links_returned: count("Users that got back the account that they were linked to."),
    events_removed: count("Events that it brought."),
    events_stayed: count("Events that others have overwritten since. They stay."),
    events_restored: count("Events that come back when an undo is undone."),
    merges: Type.Object(
      {
        total: Type.Integer(),
        items: Type.Array(
          Type.Object({
            subject: Type.Enum(["user", "account"]),
            survivor_id: Type.String(),
            merged_id: Type.String(),
          }),
        ),
      },
      { description: "Merges that it caused. They stay: each is undone by itself. The first 100 are listed." },
    ),
    samples: Type.Array(UndoSample, { description: "At most ten of each kind." }),
    known_since: Type.Union([Type.String(), Type.Null()], {
      description: "Writes from before this time were not noted, and stay. Null when all are known.",
    }),
  },
  { component: "UndoResult" },
);
export type UndoResult = Static<typeof UndoResult>;

const time = (description: string) =>
  Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Number()], { description }));

export const NewRevert = Type.Object({
  from: time(
    "Of a connector: when the first of its writes came, as ISO 8601 or unix seconds. Its imports are undone by themselves.",
  ),
  to: time("Of a connector: when the last of them came. Default: now."),
  dry_run: withDefault(
    false,
    Type.Boolean({
      description: "Change nothing: the `result` of the job says what the undo would do, with samples.",
    }),
  ),
});
export type NewRevert = Static<typeof NewRevert>;

/** Taking back what a job or a connector wrote. */
export const REVERTS_API = {
  "POST /api/v1/{id}/revert": {
    params: Type.Object({ id: Type.String({ description: "The id of an import, an undo or a connector." }) }),
    body: NewRevert,
    response: { 201: Job },
  },
};
