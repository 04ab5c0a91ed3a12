-- A segment is a saved query. Membership itself lives in ClickHouse, and in the change log that can rebuild it.
create table segments (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  entity text not null check (entity in ('user', 'account')),
  name text not null,
  query jsonb not null,
  predicate jsonb not null,
  -- Whether time alone can change who is in it.
  changes_with_time boolean not null,
  -- Counts edits of the query; everybody is looked at again until `evaluated_revision` has caught up.
  revision integer not null default 1,
  evaluated_revision integer not null default 0,
  evaluated_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id)
);

-- Deleted segments whose members have not left yet.
create table deleted_segments (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  entity text not null,
  name text not null,
  primary key (organization_id, id)
);
