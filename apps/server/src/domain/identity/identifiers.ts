import type { AccountClaims, SubjectType, UserClaims } from "@muster/protocol";

/** The kinds of identifiers that find a profile, besides its own id. */
export type IdentifierKind = "external_id" | "email" | "domain" | "anonymous_id";

/** A profile's identifiers; a kind without values is absent. */
export type Identifiers = Partial<Record<IdentifierKind, string[]>>;

/** Strongest first: what a stronger identifier says is not undone by a weaker one. */
export const STRENGTH: Record<SubjectType, readonly IdentifierKind[]> = {
  user: ["external_id", "email", "anonymous_id", "domain"],
  account: ["external_id", "domain", "anonymous_id"],
};

/** A profile has at most one external id; of the others it may gather several. */
export function isSingle(kind: IdentifierKind): boolean {
  return kind === "external_id";
}

export interface ClaimedIdentifier {
  kind: IdentifierKind;
  value: string;
}

/** The identifiers of a claim or alias body as they are compared, strongest first. */
export function claimedIdentifiers(subject: SubjectType, claims: UserClaims | AccountClaims): ClaimedIdentifier[] {
  const given = claims as Partial<Record<IdentifierKind, string>>;
  const claimed: ClaimedIdentifier[] = [];
  for (const kind of STRENGTH[subject]) {
    const value = given[kind] === undefined ? "" : normalise(kind, given[kind]);
    if (value !== "") claimed.push({ kind, value });
  }
  return claimed;
}

/** One text that stands for an identifier. */
export function identifierKey(kind: string, value: string): string {
  return `${kind} ${value}`;
}

/** The keys of everything a profile is known by. */
export function identifierKeys(identifiers: Identifiers): string[] {
  return Object.entries(identifiers).flatMap(([kind, values]) => values.map((value) => identifierKey(kind, value)));
}

export function normalise(kind: IdentifierKind, value: string): string {
  switch (kind) {
    case "email":
      return value.trim().toLowerCase();
    case "domain":
      return value
        .trim()
        .toLowerCase()
        .replace(/^[a-z][a-z0-9+.-]*:\/\//, "")
        .replace(/[/?#:].*$/, "")
        .replace(/^www\./, "");
    case "external_id":
    case "anonymous_id":
      return value.trim();
  }
}
