// Lists and limits without schemas: the dashboard shows them, and its bundle should not contain the schema library.

/** The types that attributes have. The first value gives an attribute its type. */
export const ATTRIBUTE_TYPES = ["string", "numeric", "date", "boolean", "array", "json"] as const;
export type AttributeType = (typeof ATTRIBUTE_TYPES)[number];

/** The types that a tracking plan can expect of a property. */
export const PROPERTY_TYPES = ["string", "number", "boolean", "date", "array", "json"] as const;

/** What a trend counts. */
export const MEASURES = ["count", "users", "sum", "avg", "min", "max"] as const;

/** Points that the chart of all segments has at most. Those of three thousand segments by day for a month fit. */
export const MAX_CHART_POINTS = 100_000;
