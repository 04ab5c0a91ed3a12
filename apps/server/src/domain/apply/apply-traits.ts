import { DAY_MS, isConsent, isStorableText } from "@muster/protocol";
import { attributeName } from "@muster/query";
import type { AttributeDefinitions, AttributeType } from "../attributes/attribute-definitions.js";
import { type AttributeValue, inferType, readValue, sameValue } from "../attributes/attribute-values.js";
import { exceedsBytes } from "../attributes/exceeds-bytes.js";
import { nameProblem } from "../attributes/name-problem.js";
import { readOperation } from "../attributes/read-operation.js";
import { settableFieldType } from "../attributes/standard-fields.js";
import type { AttributeRoster } from "../identity/attribute-roster.js";
import { joinConsents } from "../identity/consents.js";
import { isIdentified } from "../identity/identified.js";
import { isStorableIdentifier, normalise } from "../identity/identifiers.js";
import { outranks, startingValue } from "../identity/proof.js";
import type { Cell, Profile, Written } from "../profiles/profile.js";
import { cellBytes } from "../profiles/profile-size.js";
import { type DefiningEndUser, defineAttribute } from "./define-attribute.js";

/** What an end user may do in an organization. */
export interface EndUserAllowance extends DefiningEndUser {
  /** The organization joins visitors by hints: an email that a visitor types identifies the visitor. */
  joinsByHints: boolean;
}

export interface TraitsContext {
  roster: AttributeRoster;
  definitions: AttributeDefinitions;
  written: Written;
  maxValueBytes: number;
  /** Existing values are kept whatever their time. This is the import option `overwrite: false`. */
  keepExisting?: boolean;
  /** Given when an end user writes: by a token, or by the id of a browser alone. */
  endUser?: EndUserAllowance;
  /** Called for each attribute that is refused. The other attributes are applied. */
  onRefusal(attribute: string, reason: string): void;
}

const IDENTIFYING = new Set(["email", "external_id", "domain"]);

/** Applies a flat object of attributes, each a value or `{value, operation}`, to a profile. */
export function applyTraits(profile: Profile, traits: Record<string, unknown>, context: TraitsContext): void {
  for (const key of Object.keys(traits)) {
    const name = attributeName(profile.subjectType, key);
    const reason = applyTrait(profile, name, traits[key], context);
    if (reason) context.onRefusal(key, reason);
  }
}

function applyTrait(profile: Profile, name: string, given: unknown, context: TraitsContext): string | undefined {
  const { operation, value } = readOperation(given);
  if (operation === undefined) return `there is no operation ${quoted((given as { operation: unknown }).operation)}`;
  const problem = nameProblem(profile.subjectType, name) ?? sizeProblem(value, context.maxValueBytes);
  if (problem) return problem;
  if (context.endUser && context.definitions.isServerOnly(name)) {
    return "only connectors and members may write it: it is marked as server-only, or a connector made its group";
  }

  const definition = context.definitions.get(name);
  if (definition?.removing) return "the attribute is being deleted everywhere";
  // An older version could compute consents. What people say counts, and a withdrawal always does.
  if (definition?.computedBy !== undefined && !isConsent(name))
    return "it is a computed attribute, which only Muster writes";

  if (value === null || value === undefined) {
    if (operation === "inc" || operation === "dec") return "there is no number to add";
    if (operation === "set") unset(profile, name, context);
    return undefined;
  }
  const cell = profile.cells.get(name);
  const known = typeOf(profile, name, value, context) ?? define(profile, name, value, context);
  if (typeof known === "object") return known.refused;
  const reading = readValue(known, value);
  if (!reading.ok) return reading.reason;
  const unusable = identifierProblem(profile, name, reading.value, context);
  if (unusable) return unusable;
  context.definitions.see(name);
  if (context.endUser && name === "created_at" && !isPlausible(reading.value, context.written.at)) {
    return "an end user cannot give a date in the future, or more than fifty years ago";
  }
  const written = writtenAs(profile, name, reading.value, context);
  const full = fullProblem(profile, name, reading.value, context);
  if (full) return full;
  const current = startingValue(cell, written);
  const isProvedBefore = cell !== undefined && written.unproved === true && !cell.written.unproved;

  switch (operation) {
    case "inc":
    case "dec": {
      if (known !== "numeric") return `only a number can be added to, and the attribute's type is ${known}`;
      if (isProvedBefore) return undefined;
      const by = (operation === "inc" ? 1 : -1) * (reading.value as number);
      const at = Math.max(written.at, current === null ? 0 : (cell?.written.at ?? 0));
      write(profile, name, ((current as number | null) ?? 0) + by, { ...written, at }, context);
      return undefined;
    }
    case "setIfNull":
      if (current === null && !isProvedBefore) write(profile, name, reading.value, written, context);
      else context.roster.undo?.noteLate(profile, name, { value: reading.value, written }, cell, true);
      return undefined;
    case "set": {
      const refused = claim(profile, name, reading.value, context);
      // A consent keeps what proof and what a browser said, each with its own time.
      const isNew = isConsent(name) || !isOlder(written, cell);
      if (!refused && (context.keepExisting ? current === null : isNew)) {
        write(profile, name, reading.value, written, context);
      } else if (!refused) {
        context.roster.undo?.noteLate(profile, name, { value: reading.value, written }, cell, context.keepExisting);
      }
      return refused;
    }
  }
}

/** Whether a date can be when a user came. The clock of a page may be wrong by a day. */
function isPlausible(value: AttributeValue, at: number): boolean {
  const age = at - Date.parse(String(value));
  return age >= -DAY_MS && age <= 50 * 365 * DAY_MS;
}

/** Whether the present value of an attribute outranks a write. */
function isOlder(written: Written, cell: Cell | undefined): boolean {
  return cell !== undefined && outranks(cell.written, written);
}

/**
 * How a value is marked. The token of an end user proves who the user is, and not that an email in the body is the user's,
 * unless the profile has it as an identifier.
 */
function writtenAs(
  { identifiers }: Profile,
  name: string,
  value: AttributeValue,
  { written, endUser }: TraitsContext,
): Written {
  if (!endUser || name !== "email" || typeof value !== "string") return written;
  return identifiers.email?.includes(normalise("email", value)) ? written : { ...written, unproved: true };
}

/**
 * Stores when an attribute was unset, even if it has no value: an older value that arrives later must not be set.
 */
function unset(profile: Profile, name: string, context: TraitsContext): void {
  const { written } = context;
  const cell = profile.cells.get(name);
  if (cell && isOlder(written, cell) && !isConsent(name)) {
    context.roster.undo?.noteLate(profile, name, { value: null, written }, cell);
    return;
  }
  if (!cell && !canBeKnown(profile, name, context)) return;
  if (fullProblem(profile, name, null, context)) return;
  if (context.keepExisting && startingValue(cell, written) !== null) return;
  write(profile, name, null, written, context);
}

/** Whether older values of an attribute may still arrive. For an undefined attribute the note would only take up space. */
function canBeKnown(profile: Profile, name: string, { definitions, endUser }: TraitsContext): boolean {
  return (
    settableFieldType(profile.subjectType, name) !== undefined ||
    definitions.get(name) !== undefined ||
    !(endUser || definitions.isFull)
  );
}

function write(
  profile: Profile,
  name: string,
  value: AttributeValue,
  written: Written,
  { roster }: TraitsContext,
): void {
  const before = profile.cells.get(name);
  const cell: Cell = isConsent(name) ? joinConsents(before, { value, written }) : { value, written };
  roster.sizes.note(profile, name, cell.value);
  const isSame = sameValue(before?.value ?? null, cell.value);
  roster.undo?.noteWrite(profile, name, before, written, !isSame);
  if (isSame) roster.touch(profile);
  else roster.noteChange(profile, name, before?.value ?? null);
  profile.cells.set(name, cell);
}

/** Why an identifier cannot be an attribute, with whatever operation it is given. */
function identifierProblem(
  profile: Profile,
  name: string,
  value: AttributeValue,
  { endUser, written, roster }: TraitsContext,
): string | undefined {
  if (!IDENTIFYING.has(name) || typeof value !== "string") return undefined;
  // PostgreSQL would store two different texts of this kind as the same identifier.
  if (!isStorableText(value)) return "an identifier has no NUL character and no half of a surrogate pair";
  const isOwn = profile.identifiers.external_id?.includes(value.trim()) === true;
  // Reports show the identifier as `external_id`, so a value that is an attribute only would never be seen.
  if (endUser && name === "external_id" && !isOwn) return "an end user cannot set an external id";
  // A visitor without proof keeps the email, marked as unproved: it is what the visitor typed into a form.
  const isOfAnother = endUser && name === "email" && !written.unproved && roster.isOfAnother(profile, "email", value);
  return isOfAnother ? "somebody else has this email" : undefined;
}

/** An identifier given as an attribute is also added as an identifier, unless another profile has it. */
function claim(
  profile: Profile,
  name: string,
  value: AttributeValue,
  { roster, endUser, written }: TraitsContext,
): string | undefined {
  if (!IDENTIFYING.has(name) || typeof value !== "string") return undefined;
  if (endUser && !mayClaim(profile, name, value, endUser)) return undefined;
  const taken = !roster.claimIfFree(profile, name as "email" | "external_id" | "domain", value, written.source);
  return taken && name === "external_id"
    ? `the external id ${quoted(value)} cannot identify this ${profile.subjectType}`
    : undefined;
}

/**
 * Whether an end user may claim an identifier by an attribute: only where the organization joins visitors by hints, and only
 * the first email of a browser that belongs to no known user. All other identifiers must be in the token, which the
 * connector has signed.
 */
function mayClaim(profile: Profile, name: string, value: string, { joinsByHints }: EndUserAllowance): boolean {
  const isFirstEmail = profile.subjectType === "user" && name === "email" && !isIdentified(profile);
  return joinsByHints && isFirstEmail && isStorableIdentifier(value);
}

/** The type of an attribute, or undefined when it is not defined yet. */
function typeOf(
  profile: Profile,
  name: string,
  value: NonNullable<AttributeValue>,
  { definitions }: TraitsContext,
): AttributeType | undefined {
  const known = settableFieldType(profile.subjectType, name) ?? definitions.get(name)?.type;
  if (known) return known;
  const type = inferType(name, value);
  // A first value that is refused must not decide the type.
  return readValue(type, value).ok ? undefined : type;
}

function define(
  { subjectType }: Profile,
  name: string,
  value: NonNullable<AttributeValue>,
  { definitions, written: { source }, endUser }: TraitsContext,
): AttributeType | { refused: string } {
  return defineAttribute(name, value, { subjectType, definitions, source, endUser });
}

/** More than the name of an attribute and the rest of its cell take. */
const CELL_BYTES = 1_000;
/** An end user leaves room for what connectors write. */
const END_USER_SHARE = 4;

/** Why a value has no room in the profile. A value that takes no more room than the one before is always accepted. */
function fullProblem(
  profile: Profile,
  name: string,
  value: AttributeValue,
  { roster, maxValueBytes, endUser }: TraitsContext,
): string | undefined {
  const limit = endUser ? Math.floor(roster.maxBytes / END_USER_SHARE) : roster.maxBytes;
  // Few values cannot be too many bytes together, and most profiles have few.
  if ((profile.cells.size + 1) * (maxValueBytes + CELL_BYTES) <= limit) return undefined;
  const cell = profile.cells.get(name);
  if (cell && cellBytes(name, value) <= cellBytes(name, cell.value)) return undefined;
  if (roster.sizes.with(profile, name, value) <= limit) return undefined;
  return endUser
    ? `the ${profile.subjectType} has as many bytes of attributes as end users may fill: ${limit}, a quarter of MAX_SUBJECT_BYTES`
    : `the ${profile.subjectType} would have more than ${limit} bytes of attributes (MAX_SUBJECT_BYTES)`;
}

/** A value of the sender in a sentence. The sender decides how long it is, so only its start is shown. */
function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
  return `"${text.slice(0, 256)}"`;
}

function sizeProblem(value: unknown, maxBytes: number): string | undefined {
  if (typeof value === "number" || typeof value === "boolean" || value == null) return undefined;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return exceedsBytes(text, maxBytes) ? `the value is larger than ${maxBytes} bytes` : undefined;
}
