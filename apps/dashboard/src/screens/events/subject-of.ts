// The first one that an entry has is shown.
const IDENTIFIERS = ["email", "external_id", "id", "domain", "anonymous_id"];

type Identifiers = Readonly<Record<string, unknown>> | null | undefined;

/** Whom an entry is about: its strongest identifier. */
export function subjectOf({ user, account }: { user?: Identifiers; account?: Identifiers }): string | undefined {
  const identifiers: Record<string, unknown> = { ...account, ...user };
  const kind = IDENTIFIERS.find((name) => identifiers[name] !== undefined);
  return kind && String(identifiers[kind]);
}
