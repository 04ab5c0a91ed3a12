import type { DestinationRecord } from "../record/destination-record.js";
import type { Mapping } from "./mapping.js";

/** Keys that the package itself reads, beside the fields of an action. */
const RESERVED = /^(__segment_internal_.*|.*[oO]nMappingSave|batch_size|batch_bytes|batch_keys|enable_batching)$/;

/**
 * What a mapping names that the destination does not have, and what it lacks. A new version of the package can cause both: the
 * mapping is kept, and people are told.
 */
export function mappingProblems(mapping: Mapping, { actions }: DestinationRecord): string[] {
  const action = actions.find(({ key }) => key === mapping.action);
  if (!action) return [`The mapping "${mapping.name}" is for the action "${mapping.action}", which there is no more.`];
  const known = new Map(action.fields.map((field) => [field.key, field]));
  const unknown = Object.keys(mapping.fields).filter((key) => !known.has(key) && !RESERVED.test(key));
  const missing = action.fields.filter(({ key, required }) => required === true && isEmpty(mapping.fields[key]));
  return [
    ...unknown.map((key) => `The mapping "${mapping.name}" has the field "${key}", which there is no more.`),
    ...missing.map(({ label }) => `The mapping "${mapping.name}" gives no value for "${label}", which is required.`),
  ];
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
