import { Type } from "typebox";
import { ATTRIBUTE_TYPES } from "./choices.js";
import { EVENT_OPERATORS, GROUP_TYPES, PROPERTY_OPERATORS } from "./predicate-words.js";
import { type JsonObject, refTo, textIn } from "./schema.js";

const Count = Type.Integer({ minimum: 0 });

const PropertyPredicate = Type.Object(
  {
    property: Type.Object({
      key: Type.String(),
      type: Type.Optional(textIn(ATTRIBUTE_TYPES)),
      entity: Type.Optional(textIn(["user", "account", "event"])),
    }),
    operator: textIn(PROPERTY_OPERATORS),
    options: Type.Optional(
      Type.Object({
        value: Type.Optional(
          Type.Unsafe<unknown>({
            type: ["string", "number", "boolean", "array"],
            description: "`between` takes a pair, `in_last` and `in_next` a span such as `30d`.",
          }),
        ),
      }),
    ),
  },
  { description: "Compares a property." },
);

const EventPredicate = Type.Object(
  {
    event: Type.Object({ name: Type.String() }),
    operator: Type.Optional(textIn(EVENT_OPERATORS)),
    count: Type.Optional(Type.Union([Count, Type.Array(Count)])),
    within: Type.Optional(
      Type.Unsafe<string | number>({ type: ["string", "number"], description: "A span such as `30d`, or days." }),
    ),
    where: Type.Optional(Type.Array(PropertyPredicate)),
  },
  { description: "How often an event happened." },
);

const GroupPredicate = Type.Object(
  { type: textIn(GROUP_TYPES), predicates: Type.Array(refTo<JsonObject>("Predicate")) },
  { description: "All of these, or any of them." },
);

/** A predicate. `@muster/query` checks it and has its type; people may send any JSON object. */
export const Predicate = Type.Unsafe<JsonObject>({
  anyOf: [GroupPredicate, PropertyPredicate, EventPredicate, Type.Object({}, { additionalProperties: false })],
  description: "The form of a query that a builder can edit. `{}` when there is none.",
  component: "Predicate",
});
