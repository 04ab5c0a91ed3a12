import { type AccountClaims, isStorableText, type SubjectType, type UserClaims } from "@muster/protocol";
import type { IdentifierKind, Identifiers } from "../profiles/profile.js";

/** Strongest first. When two identifiers point to different profiles, the stronger one decides. */
export const STRENGTH: Record<SubjectType, readonly IdentifierKind[]> = {
  user: ["external_id", "email", "anonymous_id", "domain"],
  account: ["external_id", "domain", "anonymous_id"],
};

/** A profile has at most one external id. Of every other kind it may have several values. */
export function isSingleValued(kind: IdentifierKind): boolean {
  return kind === "external_id";
}

export interface ClaimedIdentifier {
  kind: IdentifierKind;
  value: string;
}

/** The normalised identifiers of a claim or an alias body, strongest first. Empty ones are left out. */
export function claimedIdentifiers(subjectType: SubjectType, claims: UserClaims | AccountClaims): ClaimedIdentifier[] {
  const given = claims as Partial<Record<IdentifierKind, string>>;
  const claimed: ClaimedIdentifier[] = [];
  for (const kind of STRENGTH[subjectType]) {
    const value = given[kind] === undefined ? "" : normalise(kind, given[kind]);
    if (value !== "") claimed.push({ kind, value });
  }
  return claimed;
}

/** The identifiers in the body of an alias or unalias. Those that are no texts do not count. */
export function aliasIdentifiers(subjectType: SubjectType, body: Record<string, unknown>): UserClaims {
  const found: UserClaims = {};
  for (const kind of STRENGTH[subjectType]) {
    const value = body[kind];
    if (typeof value === "string") found[kind] = value;
  }
  return found;
}

// An entry of an index of PostgreSQL has less than 2,704 bytes, with the organization and the kind.
export const MAX_IDENTIFIER_BYTES = 2_000;

/** Whether an identifier can be stored. One that cannot makes the apply stage repeat the work of a whole micro-batch. */
export function isStorableIdentifier(value: string): boolean {
  return isStorableText(value) && Buffer.byteLength(value) <= MAX_IDENTIFIER_BYTES;
}

/** Kind and value as one text, for use as a key. */
export function identifierKey(kind: string, value: string): string {
  return `${kind} ${value}`;
}

/** The keys of all identifiers of a profile. */
export function identifierKeys(identifiers: Identifiers): string[] {
  return Object.entries(identifiers).flatMap(([kind, values]) => values.map((value) => identifierKey(kind, value)));
}

/** The form in which identifiers are stored and compared. */
export function normalise(kind: IdentifierKind, value: string): string {
  switch (kind) {
    case "email":
      return value.trim().toLowerCase();
    case "domain":
      return hostOf(
        value
          .trim()
          .toLowerCase()
          .replace(/^[a-z][a-z0-9+.-]*:\/\//, ""),
      ).replace(/^www\./, "");
    case "external_id":
    case "anonymous_id":
      return value.trim();
  }
}

function hostOf(address: string): string {
  // A pattern that also matches the rest up to the end takes quadratic time on text that it does not match.
  const end = address.search(/[/?#:]/);
  return end === -1 ? address : address.slice(0, end);
}
