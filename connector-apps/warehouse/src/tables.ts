import type { SubjectType } from "@muster/protocol";

/** The columns of `users` and `accounts`, beside those that both tables have. */
export const SUBJECT_COLUMNS: Readonly<Record<SubjectType, readonly string[]>> = {
  user: ["external_id", "email", "account_id"],
  account: ["external_id", "domain", "name"],
};

/** Statements that create the schema and its tables, as far as they do not exist. `readSettings` has checked the name. */
export function tableStatements(schema: string): string {
  return `
    create schema if not exists ${schema};
    ${subjectTables(schema, "user")}
    ${subjectTables(schema, "account")}
    create table if not exists ${schema}.events (
      user_id text not null,
      event_id text not null,
      event text not null,
      source text,
      type text,
      created_at timestamptz,
      session_id text,
      properties jsonb not null,
      context jsonb not null,
      primary key (user_id, event_id)
    );
    create table if not exists ${schema}.segments (
      id text primary key,
      name text not null,
      type text not null,
      query jsonb not null,
      updated_at timestamptz
    );`;
}

function subjectTables(schema: string, subjectType: SubjectType): string {
  return `
    create table if not exists ${schema}.${subjectType}s (
      id text primary key,
      ${SUBJECT_COLUMNS[subjectType].map((name) => `${name} text`).join(",\n      ")},
      attributes jsonb not null,
      updated_at timestamptz,
      exported_at timestamptz not null default now()
    );
    create table if not exists ${schema}.${subjectType}_segments (
      ${subjectType}_id text not null,
      segment_id text not null,
      since timestamptz not null default now(),
      primary key (${subjectType}_id, segment_id)
    );`;
}
