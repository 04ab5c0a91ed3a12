/**
 * Object ids: 24 lower-case hex digits, sortable by creation time, carrying their type.
 *
 *   48 bits milliseconds · 8 bits type · 16 bits process · 24 bits counter
 *
 * The codes are part of stored data: add new ones, never renumber.
 */
export const TYPE_CODES = {
  organization: 0x01,
  connector: 0x02,
  user: 0x10,
  account: 0x11,
  event: 0x12,
  users_segment: 0x20,
  accounts_segment: 0x21,
  entity: 0x30,
  comment: 0x31,
  job: 0x40,
  platform: 0x50,
  deployment: 0x51,
  computed_attribute: 0x60,
} as const;

export type ObjectType = keyof typeof TYPE_CODES;

const TYPES_BY_CODE = new Map<number, ObjectType>(
  Object.entries(TYPE_CODES).map(([type, code]) => [code, type as ObjectType]),
);

const OBJECT_ID = /^[0-9a-f]{24}$/;

export function isId(value: unknown): value is string {
  return typeof value === "string" && OBJECT_ID.test(value);
}

/** The type that an id holds, or undefined when the text is not an object id. */
export function typeOfId(id: string): ObjectType | undefined {
  return OBJECT_ID.test(id) ? TYPES_BY_CODE.get(Number.parseInt(id.slice(12, 14), 16)) : undefined;
}

export function createdAtOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 12), 16));
}
