import { isObject } from "../helpers/is-object.js";
import { STANDARD_SEGMENTS } from "../segment-filter.js";
import { readFlag } from "./check-options.js";
import type { SettingFormat, SettingOptions } from "./setting-entry.js";
import { isUnset, type SettingProblem } from "./setting-problem.js";

type FormatCheck = (value: unknown, path: string, options: SettingOptions) => SettingProblem[];

/** Values that every setting of segments takes beside ids. */
const SEGMENT_VALUES: readonly string[] = Object.values(STANDARD_SEGMENTS);
const SEGMENT_ID = /^[0-9a-f]{24}$/;
const COLOR = /^(?:#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[a-z]+|[a-z]+\([^()]*\))$/i;

/** What each format asks of a value beyond its type. Formats that are not here ask nothing more. */
export const FORMAT_CHECKS: Readonly<Record<string, FormatCheck>> = {
  color: textThat((text) => COLOR.test(text), "must be a colour, e.g. #0093e6"),
  uri: textThat((text) => URL.canParse(text), "must be an address, e.g. https://example.com"),
  image: textThat(() => true, ""),
  segment: checkSegments,
  accountSegment: checkSegments,
  trait: textsThat("must be the name of an attribute"),
  accountTrait: textsThat("must be the name of an attribute"),
  event: textsThat("must be the name of an event"),
  tags: (value, path) => (Array.isArray(value) ? checkTexts(value, path, "must be a text") : [mustBeList(path)]),
  table: (value, path) => (Array.isArray(value) ? [] : [mustBeList(path)]),
  traitMapping: checkMapping,
  accountTraitMapping: checkMapping,
} satisfies Partial<Record<SettingFormat, FormatCheck>>;

function textThat(isRight: (text: string) => boolean, message: string): FormatCheck {
  return (value, path) => {
    if (typeof value !== "string") return [{ path, message: "must be a text" }];
    return isRight(value) ? [] : [{ path, message }];
  };
}

/** A check for one text or a list of texts. */
function textsThat(message: string): FormatCheck {
  return (value, path) => checkTexts(value, path, message);
}

function checkTexts(value: unknown, path: string, message: string, isRight = (_text: string) => true) {
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((entry, index) => [`${path}.${index}`, entry])
    : [[path, value]];
  return entries
    .filter(([, entry]) => !isUnset(entry) && !(typeof entry === "string" && isRight(entry)))
    .map(([at]) => ({ path: at, message }));
}

function checkSegments(value: unknown, path: string, { standard = {} }: SettingOptions): SettingProblem[] {
  const values = [...new Set([...SEGMENT_VALUES, ...standardValues(standard)])];
  const message = `must be the id of a segment or one of ${values.join(", ").slice(0, 500)}`;
  return checkTexts(value, path, message, (text) => SEGMENT_ID.test(text) || values.includes(text));
}

/** The values that a setting offers besides those of the organization. */
export function standardValues(standard: NonNullable<SettingOptions["standard"]>): string[] {
  return Array.isArray(standard) ? standard.map(({ value }) => value) : Object.keys(standard);
}

/** Rows of `{hull, service, overwrite}`. The key `hull` is the attribute's, with every brand. */
function checkMapping(value: unknown, path: string): SettingProblem[] {
  if (!Array.isArray(value)) return [mustBeList(path)];
  return value.flatMap((row: unknown, index) => {
    const at = `${path}.${index}`;
    if (!isObject(row)) return [{ path: at, message: "must be an object with `hull` and `service`" }];
    const { hull, service, overwrite } = row;
    return [
      ...sideProblems(hull, `${at}.hull`, "the attribute"),
      ...sideProblems(service, `${at}.service`, "the field of the service"),
      ...(isUnset(overwrite) || typeof readFlag(overwrite) === "boolean"
        ? []
        : [{ path: `${at}.overwrite`, message: "must be true or false" }]),
    ];
  });
}

function sideProblems(side: unknown, path: string, meaning: string): SettingProblem[] {
  if (side === undefined) return [{ path, message: `is required: ${meaning}` }];
  return side === null || typeof side === "string" ? [] : [{ path, message: `must be a text: ${meaning}` }];
}

function mustBeList(path: string): SettingProblem {
  return { path, message: "must be a list" };
}
