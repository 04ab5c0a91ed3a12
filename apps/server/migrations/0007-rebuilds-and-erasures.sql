-- A rebuild of an organization's side of ClickHouse: requested → documents → events → done. The project stage works on
-- it before anything else; the row says how far it has come, so that a restart goes on from there.
create table rebuilds (
  organization_id text primary key,
  phase text not null default 'requested' check (phase in ('requested', 'documents', 'events', 'done')),
  requested_at timestamptz not null default now(),
  finished_at timestamptz,
  -- Of the documents: whose turn it is, the last id written, and how many were.
  kind text not null default 'account' check (kind in ('user', 'account')),
  after_id text not null default '',
  documents bigint not null default 0,
  -- The last change that was searchable before: until there changes are replayed, after it they are new.
  until_sequence bigint not null default 0
);

-- What an erased subject was known by, as "kind value": the clean-up of the logs looks for it, and then forgets it too.
alter table erased add column identifiers text[] not null default '{}';

create index erased_to_clean on erased (organization_id) where cleaned_at is null;

-- How far the clean-up has come in taking those out of the logs who were erased before `started_at`.
create table erasure_passes (
  organization_id text primary key,
  started_at timestamptz not null default now(),
  step text not null,
  after bigint not null default 0
);
