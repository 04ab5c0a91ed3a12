import type { SubjectType } from "@muster/protocol";
import { isSingleValued, MAX_IDENTIFIER_BYTES, normalise, STRENGTH } from "../../domain/identity/identifiers.js";
import type { IdentifierKind } from "../../domain/profiles/profile.js";
import { markdownTable } from "../markdown-table.js";
import { limitsTable, settingLimit, withCommas } from "./limit-rows.js";

/** The generated parts of docs/identity.md. */
export const IDENTITY_TABLES = {
  strength: strengthTable,
  comparison: comparisonTable,
  "identity-limits": () =>
    limitsTable([
      settingLimit("Merges that one user or account takes part in within a day (UTC)", "MERGES_PER_DAY"),
      settingLimit("Anonymous ids of one user or account", "MAX_ANONYMOUS_IDS"),
      ["Bytes of an identifier", withCommas(MAX_IDENTIFIER_BYTES)],
    ]),
};

function strengthTable(): string {
  const rows = (Object.keys(STRENGTH) as SubjectType[]).map((subjectType) => [
    `${subjectType}s`,
    ["id", ...STRENGTH[subjectType]].map((kind) => `\`${kind}\``).join(" > "),
  ]);
  return markdownTable(["Of", "Strongest first"], rows);
}

const WRITTEN: Readonly<Record<IdentifierKind, string>> = {
  external_id: " User-42 ",
  email: " Ada@Example.COM ",
  domain: "https://www.Example.com/about",
  anonymous_id: " b7F3 ",
};

function comparisonTable(): string {
  const rows = (Object.keys(WRITTEN) as IdentifierKind[]).map((kind) => [
    `\`${kind}\``,
    isSingleValued(kind) ? "one" : "several",
    `\`"${WRITTEN[kind]}"\``,
    `\`"${normalise(kind, WRITTEN[kind])}"\``,
  ]);
  return markdownTable(["Identifier", "Values of one user or account", "Written", "Compared as"], rows);
}
