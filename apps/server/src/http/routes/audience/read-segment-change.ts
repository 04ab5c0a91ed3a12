import { Refusal } from "@muster/protocol";
import {
  MAX_SEGMENT_DESCRIPTION_LENGTH,
  MAX_SEGMENT_FOLDER_LENGTH,
  MAX_SEGMENT_NAME_LENGTH,
  MAX_SEGMENT_TAG_LENGTH,
  MAX_SEGMENT_TAGS,
  type SegmentChange,
} from "@muster/protocol/api/segments";

/** What is wrong with a value; undefined when nothing is. */
type Check = (value: unknown) => string | undefined;

const text = (min: number, max: number): Check => {
  const message =
    min === 0 ? `must be a string of at most ${max} characters` : `must be a string of 1 to ${max} characters`;
  return (value) => (isText(value, min, max) ? undefined : message);
};

const isText = (value: unknown, min: number, max: number) =>
  typeof value === "string" && value.length >= min && value.length <= max;

const object: Check = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? undefined : "must be an object";

const tags: Check = (value) =>
  Array.isArray(value) &&
  value.length <= MAX_SEGMENT_TAGS &&
  value.every((tag) => isText(tag, 1, MAX_SEGMENT_TAG_LENGTH))
    ? undefined
    : `must be a list of at most ${MAX_SEGMENT_TAGS} strings of 1 to ${MAX_SEGMENT_TAG_LENGTH} characters`;

const CHECKS: Readonly<Record<keyof SegmentChange, Check>> = {
  name: text(1, MAX_SEGMENT_NAME_LENGTH),
  query: object,
  predicate: object,
  description: text(0, MAX_SEGMENT_DESCRIPTION_LENGTH),
  tags,
  folder: text(0, MAX_SEGMENT_FOLDER_LENGTH),
};

/** Checks the body of a change of a segment. The contract of `/:id` says nothing about the types of objects. */
export function readSegmentChange(body: unknown): SegmentChange {
  const given = body as Record<string, unknown>;
  const details = Object.entries(CHECKS).flatMap(([key, check]) => {
    const message = given[key] === undefined ? undefined : check(given[key]);
    return message === undefined ? [] : [{ path: `body.${key}`, message }];
  });
  const [first] = details;
  if (first) throw new Refusal("invalid_parameter", `${first.path} ${first.message}.`, { details });
  return body as SegmentChange;
}
