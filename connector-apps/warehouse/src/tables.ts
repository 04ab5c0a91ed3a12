/** The tables of a schema, as statements that may run again. The schema's name was checked. */
export function tableStatements(schema: string): string {
  return `
    create schema if not exists ${schema};
    create table if not exists ${schema}.users (
      id text primary key,
      external_id text,
      email text,
      account_id text,
      attributes jsonb not null,
      updated_at timestamptz,
      exported_at timestamptz not null default now()
    );
    create table if not exists ${schema}.accounts (
      id text primary key,
      external_id text,
      domain text,
      name text,
      attributes jsonb not null,
      updated_at timestamptz,
      exported_at timestamptz not null default now()
    );
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
    );
    create table if not exists ${schema}.user_segments (
      user_id text not null,
      segment_id text not null,
      since timestamptz not null default now(),
      primary key (user_id, segment_id)
    );
    create table if not exists ${schema}.account_segments (
      account_id text not null,
      segment_id text not null,
      since timestamptz not null default now(),
      primary key (account_id, segment_id)
    );`;
}
