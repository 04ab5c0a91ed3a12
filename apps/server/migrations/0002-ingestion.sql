-- No foreign keys in this file: checking one for each row cost as much as writing it, and every row is written by the
-- pipeline, which knows its organization. Removing an organization removes its rows by name.

-- The ingestion log: one row per accepted batch and lane. Lanes let urgent work pass bulk work.
-- Positions count up per organization and lane in commit order, so a reader that has seen n has seen all before n.
create table log_heads (
  organization_id text not null,
  lane "char" not null,
  position bigint not null default 0,
  entries bigint not null default 0,
  primary key (organization_id, lane)
);

create table ingest_log (
  organization_id text not null,
  lane "char" not null,
  position bigint not null,
  received_at timestamptz not null,
  connector_id text not null,
  entry_count integer not null,
  payload bytea not null,
  primary key (organization_id, lane, position, received_at)
) partition by range (received_at);

-- What a batch was answered, by the digest of its entries: the same batch again gets the same answer.
create table ingest_receipts (
  organization_id text not null,
  digest bytea not null,
  positions jsonb not null,
  answer text not null,
  received_at timestamptz not null,
  primary key (organization_id, digest)
);

create index ingest_receipts_by_age on ingest_receipts (received_at);

-- How far apply has come in each lane: `entry_offset` entries of the batch after `position` are applied too.
create table apply_cursors (
  organization_id text not null,
  lane "char" not null,
  position bigint not null default 0,
  entry_offset integer not null default 0,
  entries bigint not null default 0,
  received_at timestamptz not null default '-infinity',
  primary key (organization_id, lane)
);

-- One row per organization, locked while one micro-batch is applied: it makes the applier the only writer below.
create table change_heads (
  organization_id text primary key,
  sequence bigint not null default 0
);

-- What each micro-batch changed: the second log, kept as long as the events in it.
create table changes (
  organization_id text not null,
  sequence bigint not null,
  lane "char" not null,
  position bigint not null,
  payload bytea not null,
  -- Whether it tells who entered and left segments; such changes are looked for after a crash.
  is_evaluation boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (organization_id, sequence)
);

create index changes_by_evaluation on changes (organization_id, sequence) where is_evaluation;

create table project_cursors (
  organization_id text primary key,
  sequence bigint not null default 0,
  -- The log positions that are searchable, by lane.
  positions jsonb not null default '{}'
);

create table users (
  organization_id text not null,
  id text not null,
  account_id text,
  state json not null,
  version bigint not null,
  primary key (organization_id, id)
) with (fillfactor = 80);

create index users_by_account on users (organization_id, account_id) where account_id is not null;

create table accounts (
  organization_id text not null,
  id text not null,
  state json not null,
  version bigint not null,
  primary key (organization_id, id)
) with (fillfactor = 80);

create table user_identifiers (
  organization_id text not null,
  kind text not null,
  value text not null,
  user_id text not null,
  primary key (organization_id, kind, value)
);

create index user_identifiers_by_user on user_identifiers (organization_id, user_id);

create table account_identifiers (
  organization_id text not null,
  kind text not null,
  value text not null,
  account_id text not null,
  primary key (organization_id, kind, value)
);

create index account_identifiers_by_account on account_identifiers (organization_id, account_id);

-- A merge keeps both states as they were, so that it can be undone. The loser's id keeps resolving to the survivor.
create table merges (
  organization_id text not null,
  loser_id text not null,
  survivor_id text not null,
  loser_state json not null,
  survivor_state json not null,
  merged_at timestamptz not null default now(),
  primary key (organization_id, loser_id)
);

create index merges_by_survivor on merges (organization_id, survivor_id);

-- Subjects that were erased: a rebuild skips them, and the clean-up takes them out of the logs.
create table erased (
  organization_id text not null,
  id text not null,
  erased_at timestamptz not null default now(),
  cleaned_at timestamptz,
  primary key (organization_id, id)
);

create table attribute_definitions (
  organization_id text not null,
  entity text not null check (entity in ('user', 'account')),
  name text not null,
  type text not null check (type in ('string', 'numeric', 'date', 'boolean', 'array', 'json')),
  visible boolean not null default true,
  track_changes boolean not null default true,
  source text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, entity, name)
);

-- Events with an id given by the sender: the newest record with that id is the event.
create table event_keys (
  organization_id text not null,
  event_id text not null,
  recorded_at bigint not null,
  event text not null,
  created_at bigint not null,
  user_id text not null,
  primary key (organization_id, event_id)
);

create table event_definitions (
  organization_id text not null,
  name text not null,
  properties jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, name)
);

-- Entries, or parts of entries, that could not be applied, each with its reason.
create table rejected_entries (
  organization_id text not null,
  id bigint generated always as identity,
  connector_id text not null,
  code text not null,
  message text not null,
  entry text not null,
  rejected_at timestamptz not null default now(),
  retried_at timestamptz,
  primary key (organization_id, id)
);

-- Sign-ins of users through a token.
create table sign_ins (
  organization_id text not null,
  user_id text not null,
  sign_in_count integer not null,
  signed_in_at timestamptz not null,
  app_id text not null,
  url text,
  primary key (organization_id, user_id)
);
