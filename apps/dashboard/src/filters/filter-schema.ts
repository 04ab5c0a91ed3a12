import type { FieldType } from "@muster/query";
import { attributeName } from "../ui/text/words.js";

/** Whom a filter selects. */
export type FilterTarget = "user" | "account";

/** Something that a clause can be about. */
export interface FilterField {
  /** The key in reports of its owner. */
  key: string;
  /** The name without the prefix of user attributes. */
  name: string;
  /** What people call it: the name, unless somebody gave it a label. */
  label: string;
  type: FieldType;
  owner: FilterTarget;
}

export interface FilterEvent {
  name: string;
  count: number;
  properties: readonly { name: string; type: string }[];
}

export interface FilterSegment {
  id: string;
  name: string;
  owner: FilterTarget;
}

/** What the clauses of a filter can be about. */
export interface FilterSchema {
  fields: readonly FilterField[];
  events: readonly FilterEvent[];
  segments: readonly FilterSegment[];
  /** Why some of it could not be read: it is missing above. */
  problem?: { error: unknown; readAgain: () => void };
}

export const EMPTY_SCHEMA: FilterSchema = { fields: [], events: [], segments: [] };

/** The field that a clause is about. Keys of user attributes may have the prefix or not, as in queries. */
export function findField(
  { fields }: FilterSchema,
  property: { key: string; entity?: string | undefined },
  target: FilterTarget,
): FilterField | undefined {
  const owner = ownerOf(property, target);
  const key = property.key.startsWith("account.") ? property.key.slice("account.".length) : property.key;
  const own = fields.filter((field) => field.owner === owner);
  return own.find((field) => field.key === key) ?? own.find((field) => field.name === attributeName(key));
}

export function ownerOf(
  { key, entity }: { key: string; entity?: string | undefined },
  target: FilterTarget,
): FilterTarget {
  if (target === "account") return "account";
  return entity === "account" || key.startsWith("account.") ? "account" : "user";
}
