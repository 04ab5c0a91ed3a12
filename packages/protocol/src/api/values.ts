import { Type } from "typebox";

/** Any JSON value, so its type says nothing. */
export const AttributeValue = Type.Unsafe<unknown>({
  type: ["string", "number", "boolean", "array", "object", "null"],
  description: "The value of an attribute or property: any JSON value. Dates are ISO 8601 texts.",
  component: "AttributeValue",
});

/** A text, a number or a boolean. */
export const Scalar = Type.Unsafe<string | number | boolean>({ type: ["string", "number", "boolean"] });

export const OptionalText = Type.Unsafe<string | null>({ type: ["string", "null"] });
export const Time = Type.String({ format: "date-time" });
export const OptionalTime = Type.Union([Time, Type.Null()]);

/** The query string of an answer that can be about a moment in the past. */
export const MomentQuery = Type.Object({
  at: Type.Optional(
    Type.String({ format: "date-time", description: "What was known at this moment, as far as changes are kept." }),
  ),
});
