import type { SubjectType } from "@muster/protocol";
import { inParts } from "../../../../runtime/loops/in-parts.js";
import type { SubjectDocument, TypeOf } from "../../projection.js";
import type { Statements } from "../client/statements.js";
import { insertAccounts, insertUsers, type UserRow } from "./insert-rows.js";

// An insert is sent as one statement. This many documents have tens of megabytes.
const ROWS_PER_INSERT = 10_000;

/** Writes the documents of users or accounts. Writing an older version or the same one twice changes nothing. */
export async function writeDocuments(
  statements: Statements,
  kind: SubjectType,
  organizationId: string,
  documents: readonly SubjectDocument[],
  typeOf: TypeOf,
): Promise<void> {
  for (const part of inParts(documents, ROWS_PER_INSERT)) {
    const rows = part.map(
      ({ report, accountId, version }): UserRow => ({
        org: organizationId,
        id: String(report.id),
        accountId,
        createdAt: new Date(String(report.created_at)),
        fields: report,
        version,
      }),
    );
    await insertDocuments(statements, kind, rows, (key) => typeOf(kind, key));
  }
}

/** Deletes the documents of subjects that were merged into others or erased. */
export async function removeDocuments(
  statements: Statements,
  kind: SubjectType,
  organizationId: string,
  ids: readonly string[],
  version: number,
): Promise<void> {
  if (ids.length === 0) return;
  const rows = ids.map(
    (id): UserRow => ({
      org: organizationId,
      id,
      accountId: undefined,
      createdAt: new Date(0),
      fields: {},
      version,
      deleted: true,
    }),
  );
  await insertDocuments(statements, kind, rows, () => undefined);
}

function insertDocuments(
  statements: Statements,
  kind: SubjectType,
  rows: readonly UserRow[],
  typeOf: (key: string) => ReturnType<TypeOf>,
): Promise<void> {
  return statements.run(kind === "user" ? insertUsers(rows, typeOf) : insertAccounts(rows, typeOf));
}
