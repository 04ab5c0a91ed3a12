-- The whole schema of the first release. A change of the schema is a new file beside this one, never an edit of this one.

-- # Organizations and the objects that people make

create table organizations (
  id text primary key,
  namespace text not null,
  name text not null,
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  -- When somebody asked to delete it. Nobody finds it any more, and its namespace can be used again at once.
  deleted_at timestamptz,
  -- What processes keep in memory of an organization is valid as long as its revision is the same. A revision is random,
  -- so that the revision of a transaction that was rolled back, or of another database, never comes again.
  attributes_revision uuid not null default gen_random_uuid(),
  events_revision uuid not null default gen_random_uuid(),
  segments_revision uuid not null default gen_random_uuid()
);

create unique index organizations_by_namespace on organizations (namespace) where deleted_at is null;

-- Processes keep the connectors of organizations in memory, with whether the organization is enabled.
create function tell_organization_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('connectors_changed', new.id);
  return null;
end
$$;

create trigger organizations_changed
after update on organizations
for each row
when ((old.enabled, old.deleted_at) is distinct from (new.enabled, new.deleted_at))
execute function tell_organization_changed();

create table comments (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  object_id text not null,
  author_id text,
  body text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Who wrote a comment that was not written in the name of a user: an operator, a member or a connector.
  author_name text,
  primary key (organization_id, id)
);

create index comments_by_object on comments (organization_id, object_id, id);
create index comments_by_author on comments (organization_id, author_id) where author_id is not null;

-- How many entities and comments each organization has. Counting the rows would take longer with each one.
create table object_counts (
  organization_id text not null references organizations on delete cascade,
  kind text not null check (kind in ('entity', 'comment')),
  count bigint not null,
  primary key (organization_id, kind)
);

create function count_added_objects() returns trigger language plpgsql as $$
begin
  insert into object_counts as c (organization_id, kind, count)
  select organization_id, tg_argv[0], count(*) from added group by organization_id
  on conflict (organization_id, kind) do update set count = c.count + excluded.count;
  return null;
end
$$;

create function count_removed_objects() returns trigger language plpgsql as $$
begin
  update object_counts c
  set count = c.count - r.count
  from (select organization_id, count(*) as count from removed group by organization_id) r
  where c.organization_id = r.organization_id and c.kind = tg_argv[0];
  return null;
end
$$;

create trigger comments_added
after insert on comments
referencing new table as added
for each statement execute function count_added_objects('comment');

create trigger comments_removed
after delete on comments
referencing old table as removed
for each statement execute function count_removed_objects('comment');

-- # The ingestion log, and what becomes of it
--
-- No foreign keys in this part and the next: checking one for each row cost as much as writing it, and every row is
-- written by the pipeline, which knows its organization. Removing an organization removes its rows by name.

-- The ingestion log: one row per accepted batch and lane. Lanes let urgent work pass bulk work.
-- Positions count up per organization and lane in commit order, so a reader that has seen n has seen all before n.
create table log_heads (
  organization_id text not null,
  lane "char" not null,
  position bigint not null default 0,
  entries bigint not null default 0,
  -- The batches are appended to a log elsewhere, and the row says how far that log is known here.
  is_elsewhere boolean not null default false,
  -- For a log elsewhere: when the first batch was received that came while nothing waited.
  behind_since timestamptz,
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

alter table ingest_log alter column payload set storage external;

-- The ingestion log of an organization is in PostgreSQL (ingest_log) or in a stream of NATS JetStream, and can be moved.
-- One row for each log that it had, in the order of `number`. Without a row it is in PostgreSQL and always was.
create table log_placements (
  organization_id text not null,
  number integer not null,
  kind text not null check (kind in ('postgres', 'nats')),
  stream text,
  -- When the stream was created, as NATS says it. Another time means that it is another stream with the same name.
  stream_created text,
  -- The position of a message is this number and its sequence in the stream.
  base bigint not null default 0,
  -- Messages up to this sequence are of an earlier time when the organization was in the same stream.
  after_sequence bigint not null default 0,
  -- Since this time nothing new is written, because the log is being moved.
  closing_at timestamptz,
  -- The last position in each lane. Later ones are in the next log. Null: this log is the present one.
  until jsonb,
  primary key (organization_id, number)
);

-- What a batch was answered, by the digest of its entries: the same batch again gets the same answer.
create table ingest_receipts (
  organization_id text not null,
  digest bytea not null,
  positions jsonb not null,
  answer text not null,
  received_at timestamptz not null,
  -- For batches of a log elsewhere: the position of each part that was read, and how many parts the batch has.
  parts jsonb,
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

-- These values are compressed before they come here. To try it again only takes time.
alter table changes alter column payload set storage external;

create table project_cursors (
  organization_id text primary key,
  sequence bigint not null default 0,
  -- The log positions that are searchable, by lane.
  positions jsonb not null default '{}',
  -- What the question engine holds of the organization must carry this generation. A new generation asks for everything to
  -- be written again. An engine that was lost carries none, and one that was filled from another database another.
  generation text not null default gen_random_uuid()::text
);

-- A rebuild of what the question engine holds of an organization. How far it has come is kept by the engine, with what it
-- has written.
create table rebuilds (
  organization_id text primary key,
  requested_at timestamptz not null default now(),
  finished_at timestamptz
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
  -- The import that the entry came from, and its line there.
  job_id text,
  line bigint,
  -- Why it was rejected, without the values of the entry: equal reasons are one group in lists.
  reason text not null default '',
  primary key (organization_id, id)
);

-- The rejected entries that nobody has tried again.
create index rejected_entries_waiting on rejected_entries (organization_id) where retried_at is null;
create index rejected_entries_by_job on rejected_entries (organization_id, job_id, line) where job_id is not null;
create index rejected_entries_by_reason on rejected_entries (organization_id, code, reason, id);
create index rejected_entries_by_age on rejected_entries (rejected_at);

-- Stages of the pipeline whose last step failed, with the reason. A step that succeeds removes its row.
create table stage_problems (
  organization_id text not null,
  stage text not null,
  message text not null,
  since timestamptz not null default now(),
  primary key (organization_id, stage)
);

-- How many entries were accepted, in intervals of ten seconds. Written in the statement that appends them to the log.
create table intake_figures (
  organization_id text not null,
  at timestamptz not null,
  entries bigint not null,
  primary key (organization_id, at)
) with (fillfactor = 50);

create index intake_figures_by_age on intake_figures (at);

-- How long records took in a stage, in intervals of a minute. `bucket` stands for a range of durations.
create table lag_figures (
  organization_id text not null,
  stage text not null check (stage in ('apply', 'search', 'delivery')),
  at timestamptz not null,
  bucket smallint not null,
  records bigint not null,
  primary key (organization_id, stage, at, bucket)
) with (fillfactor = 50);

create index lag_figures_by_age on lag_figures (at);

-- # Users and accounts

-- Profiles are written again and again, often all of a page at once. With half of each page free, the new version of a
-- row fits beside the old one, so no index changes, and the next read of the page removes the old version. Without the
-- free half a table under load grew to the same size, and two of three updates wrote to the indexes. Vacuum is needed
-- only for what this leaves over.
create table users (
  organization_id text not null,
  id text not null,
  account_id text,
  state json not null,
  version bigint not null,
  primary key (organization_id, id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 1, autovacuum_analyze_scale_factor = 0.5);

-- The users of an account are read page by page, in the order of their ids.
create index users_by_account_and_id on users (organization_id, account_id, id) where account_id is not null;

create table accounts (
  organization_id text not null,
  id text not null,
  state json not null,
  version bigint not null,
  primary key (organization_id, id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 1, autovacuum_analyze_scale_factor = 0.5);

-- Identifiers have no index by owner: an erasure, which alone would use it, knows them from the profile.
create table user_identifiers (
  organization_id text not null,
  kind text not null,
  value text not null,
  user_id text not null,
  primary key (organization_id, kind, value)
);

create table account_identifiers (
  organization_id text not null,
  kind text not null,
  value text not null,
  account_id text not null,
  primary key (organization_id, kind, value)
);

-- A merge keeps both states as they were, so that it can be undone. The loser's id keeps resolving to the survivor.
create table merges (
  organization_id text not null,
  loser_id text not null,
  survivor_id text not null,
  loser_state json not null,
  survivor_state json not null,
  merged_at timestamptz not null default now(),
  -- Why: the identifier that a record named, the time of the record, and who sent it. Null when it was not kept yet.
  cause json,
  primary key (organization_id, loser_id)
);

create index merges_by_survivor on merges (organization_id, survivor_id);

-- What an admin has decided about a user. It is no attribute: connectors are not told, and segments do not ask for it.
-- A user without a row is approved and no admin.
create table user_marks (
  organization_id text not null,
  user_id text not null,
  is_admin boolean not null,
  approved boolean not null,
  notifications jsonb not null,
  primary key (organization_id, user_id)
);

-- Sign-ins of users through a token, counted for each connector that issued one.
create table sign_ins (
  organization_id text not null,
  user_id text not null,
  sign_in_count integer not null,
  signed_in_at timestamptz not null,
  app_id text not null,
  url text,
  first_signed_in_at timestamptz,
  primary key (organization_id, user_id, app_id)
);

create table attribute_definitions (
  organization_id text not null,
  subject_type text not null check (subject_type in ('user', 'account')),
  name text not null,
  type text not null check (type in ('string', 'numeric', 'date', 'boolean', 'array', 'json')),
  visible boolean not null default true,
  track_changes boolean not null default true,
  source text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Whether an end user has defined the attribute. An end user may define a limited number in a day.
  by_end_user boolean not null default false,
  -- When a record last carried the attribute, to the minute. `updated_at` is the time of the last change of the definition.
  last_seen_at timestamptz,
  primary key (organization_id, subject_type, name)
);

create table event_definitions (
  organization_id text not null,
  name text not null,
  properties jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Whether an end user has defined the name. An end user may define a limited number in a day.
  by_end_user boolean not null default false,
  primary key (organization_id, name)
);

create index event_definitions_by_end_users on event_definitions (organization_id, created_at) where by_end_user;

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

-- Events to which an end user has given an id. Such ids belong to one user: another user's event has the same id without
-- being the same event. `user_id` is the user at the time of the record; after a merge it is a former id of the user.
create table end_user_event_keys (
  organization_id text not null,
  user_id text not null,
  event_digest text not null,
  id text not null,
  event text not null,
  created_at bigint not null,
  recorded_at bigint not null,
  primary key (organization_id, user_id, event_digest)
);

-- # Erasures

-- Subjects that were erased: a rebuild skips them, and the clean-up takes them out of the logs.
create table erased (
  organization_id text not null,
  id text not null,
  erased_at timestamptz not null default now(),
  cleaned_at timestamptz,
  -- What the subject was known by, as "kind value": the clean-up of the logs looks for it, and then removes it here too.
  identifiers text[] not null default '{}',
  -- The change that erased the subject: the clean-up begins when all stages have passed it.
  sequence bigint not null default 0,
  primary key (organization_id, id)
);

create index erased_to_clean on erased (organization_id) where cleaned_at is null;
create index erased_by_cleaning on erased (cleaned_at) where cleaned_at is not null;

-- How far the clean-up has come in taking those out of the logs who were erased before `started_at`.
create table erasure_passes (
  organization_id text primary key,
  started_at timestamptz not null default now(),
  step text not null,
  after bigint not null default 0,
  until_sequence bigint not null default 0,
  counts jsonb not null default '{}'
);

-- What an erasure has removed: shown to whoever must prove it. It has no data of the subject but the id, which Muster made.
create table erasures (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  subject_type text not null check (subject_type in ('user', 'account')),
  erased_at timestamptz not null default now(),
  -- How much was removed at once, by kind.
  removed jsonb not null,
  -- When the logs, queues and files were clean too, and how much was removed from them, by kind.
  cleaned_at timestamptz,
  cleaned jsonb,
  primary key (organization_id, id)
);

create index erasures_by_time on erasures (organization_id, erased_at);

-- Keyed hashes of the ids and identifiers of erased subjects: records from before the erasure do not bring them back.
create table erased_identifiers (
  organization_id text not null,
  hash bytea not null,
  -- When the erasure was recorded by its sender, and when it was received, in milliseconds.
  recorded_at bigint not null,
  received_at bigint not null,
  primary key (organization_id, hash)
);

create index erased_identifiers_by_time on erased_identifiers (organization_id, greatest(recorded_at, received_at));

-- Batches of the ingestion log with entries that were dropped because their subject was erased: they are still to be
-- taken out of the log.
create table erasure_leftovers (
  organization_id text not null,
  lane "char" not null,
  position bigint not null,
  primary key (organization_id, lane, position)
);

-- # Segments and views

-- A segment is a saved query. Membership itself lives in the question engine, and in the change log that can rebuild it.
create table segments (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  subject_type text not null check (subject_type in ('user', 'account')),
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
  -- Why it cannot be evaluated, and since when. It keeps its members until it can.
  problem text,
  problem_since timestamptz,
  primary key (organization_id, id)
);

-- Deleted segments whose members have not left yet.
create table deleted_segments (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  subject_type text not null,
  name text not null,
  primary key (organization_id, id)
);

-- Saved views of the lists of users and accounts: what is filtered, which columns are shown, in which order. All members
-- of an organization share them.
create table views (
  organization_id text not null references organizations on delete cascade,
  id bigint generated always as identity,
  name text not null,
  target text not null check (target in ('user', 'account')),
  predicate jsonb not null,
  search text not null,
  columns jsonb not null,
  sort jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id)
);

-- # Revisions of definitions

create function renew_revision() returns trigger language plpgsql as $$
begin
  execute format('update organizations set %I = gen_random_uuid() where id = $1 and deleted_at is null', tg_argv[0])
  using coalesce(new.organization_id, old.organization_id);
  return null;
end
$$;

-- They run at the end of a transaction. So the row of the organization is locked after all others, and two transactions
-- that write definitions do not wait for each other in a circle.
create constraint trigger attributes_came_or_went
after insert or delete on attribute_definitions
deferrable initially deferred
for each row
execute function renew_revision('attributes_revision');

-- `last_seen_at` is not among these: it is written every minute.
create constraint trigger attributes_changed
after update on attribute_definitions
deferrable initially deferred
for each row
when ((old.type, old.visible, old.track_changes) is distinct from (new.type, new.visible, new.track_changes))
execute function renew_revision('attributes_revision');

create constraint trigger events_changed
after insert or delete or update of properties on event_definitions
deferrable initially deferred
for each row
execute function renew_revision('events_revision');

create constraint trigger segments_came_or_went
after insert or delete on segments
deferrable initially deferred
for each row
execute function renew_revision('segments_revision');

create constraint trigger segments_changed
after update on segments
deferrable initially deferred
for each row
when (
  (old.name, old.query, old.predicate, old.changes_with_time, old.revision, old.problem, old.updated_at)
  is distinct from (new.name, new.query, new.predicate, new.changes_with_time, new.revision, new.problem, new.updated_at)
)
execute function renew_revision('segments_revision');

-- # Connectors

create table connectors (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  name text not null,
  sealed_secret bytea not null,
  manifest jsonb not null default '{}',
  manifest_url text,
  source_url text,
  settings jsonb not null default '{}',
  sealed_private_settings bytea,
  status text not null default 'ok' check (status in ('ok', 'warning', 'error', 'setupRequired')),
  status_messages text[] not null default '{}',
  status_updated_at timestamptz,
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- What becomes of notifications while the connector is disabled: they are dropped, or held until it is enabled again.
  when_disabled text not null default 'drop' check (when_disabled in ('drop', 'hold')),
  -- Whether it also gets messages about users when only their account has changed.
  notify_users_of_account boolean not null default false,
  primary key (organization_id, id)
);

-- Tokens and query credentials name a connector without its organization.
create unique index connectors_by_id on connectors (id);

-- Processes keep what they know of connectors in memory, and are told when it changes.
create function tell_connectors_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('connectors_changed', coalesce(new.organization_id, old.organization_id));
  return null;
end
$$;

create trigger connectors_came_or_went
after insert or delete on connectors
for each row execute function tell_connectors_changed();

-- A status that is polled again and is the same is no change.
create trigger connectors_changed
after update on connectors
for each row
when (
  (old.name, old.manifest, old.settings, old.sealed_private_settings, old.sealed_secret, old.enabled, old.when_disabled,
   old.notify_users_of_account, old.status, old.status_messages)
  is distinct from
  (new.name, new.manifest, new.settings, new.sealed_private_settings, new.sealed_secret, new.enabled, new.when_disabled,
   new.notify_users_of_account, new.status, new.status_messages)
)
execute function tell_connectors_changed();

-- Connectors that can be installed: the manifests that were seen.
create table catalogue (
  organization_id text not null references organizations on delete cascade,
  manifest_url text not null,
  source_url text not null,
  manifest jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (organization_id, manifest_url)
);

-- Every status a connector had, from when on.
create table status_history (
  organization_id text not null,
  connector_id text not null,
  id bigint generated always as identity,
  status text not null,
  messages text[] not null,
  source text not null check (source in ('install', 'connector', 'poll', 'operator')),
  created_at timestamptz not null default now(),
  primary key (organization_id, connector_id, id),
  foreign key (organization_id, connector_id) references connectors on delete cascade
);

create index status_history_by_age on status_history (created_at);

-- When each recurring call of a connector is due next, and how the last one went.
create table schedule_runs (
  organization_id text not null,
  connector_id text not null,
  kind text not null check (kind in ('schedule', 'status')),
  url text not null,
  -- What the due time was computed from: a changed interval starts anew.
  timing text not null,
  due_at timestamptz not null,
  last_run_at timestamptz,
  last_result text,
  last_duration_ms integer,
  primary key (organization_id, connector_id, kind, url),
  foreign key (organization_id, connector_id) references connectors on delete cascade
);

-- The newest key signs; older ones stay readable, because notifications signed with them may still be on their way.
create table signing_keys (
  id text primary key,
  public_key text not null,
  sealed_private_key bytea not null,
  created_at timestamptz not null default now()
);

-- Sites that the browser library runs on, and the connectors deployed there.
create table platforms (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  name text not null,
  domains text[] not null default '{}',
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- When the last record came from a page of the platform, to within some seconds.
  last_record_at timestamptz,
  primary key (organization_id, id)
);

create table deployments (
  organization_id text not null,
  id text not null,
  platform_id text not null,
  connector_id text not null,
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, platform_id) references platforms on delete cascade,
  foreign key (organization_id, connector_id) references connectors on delete cascade
);

create index deployments_by_platform on deployments (organization_id, platform_id);
create index deployments_by_connector on deployments (organization_id, connector_id);

-- # Deliveries

-- How far the change log was told to connectors; locked while a step of it is told. Evaluation appends what it found to
-- the log, and it is told at once with its cause: `ahead` of its turn.
create table notify_cursors (
  organization_id text primary key references organizations on delete cascade,
  sequence bigint not null default 0,
  ahead bigint[] not null default '{}'
);

-- Messages as compressed JSON, stored once for all the connectors that get them.
-- Rows of queues live for seconds. This table and `outbox` stay small only when they are vacuumed long before a fifth of
-- the largest size that they ever had is dead.
create table message_batches (
  organization_id text not null references organizations on delete cascade,
  id bigint generated always as identity,
  is_export boolean not null,
  payload bytea not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, id)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 200);

alter table message_batches alter column payload set storage external;

-- What waits to be sent to each connector, in this order: `chosen` messages of a batch, the first `sent` of them done.
create table outbox (
  organization_id text not null,
  connector_id text not null,
  position bigint generated always as identity,
  batch_id bigint not null,
  -- The path of the subscription, and the name it knows the channel by.
  url text not null,
  channel text not null,
  chosen integer[] not null,
  sent integer not null default 0,
  created_at timestamptz not null default now(),
  -- Single notifications are answered in any order. `chosen` then has the messages that are left, and `tries` the attempts
  -- at them, by their index in the batch.
  tries jsonb not null default '{}',
  primary key (organization_id, connector_id, position),
  foreign key (organization_id, connector_id) references connectors on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

create index outbox_by_batch on outbox (organization_id, batch_id);
create index outbox_by_age on outbox (created_at);

-- Where the delivery to each connector stands: what it asked for, and how it fares.
create table delivery_states (
  organization_id text not null,
  connector_id text not null,
  state jsonb not null,
  sent_messages bigint not null default 0,
  failed_calls bigint not null default 0,
  dead_messages bigint not null default 0,
  last_sent_at timestamptz,
  last_failed_at timestamptz,
  primary key (organization_id, connector_id),
  foreign key (organization_id, connector_id) references connectors on delete cascade
);

-- Messages that could not be delivered, each with the last request and what was answered.
create table dead_letters (
  organization_id text not null,
  id bigint generated always as identity,
  connector_id text not null,
  url text not null,
  channel text not null,
  kind text not null,
  object_id text not null,
  message bytea not null,
  request jsonb not null,
  answer jsonb,
  reason text not null,
  attempts integer not null,
  created_at timestamptz not null default now(),
  -- Why it failed, without what differs from call to call: dead letters are grouped by it.
  cause text not null default '',
  -- People may edit a dead letter before it is sent again.
  edited_by text,
  edited_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, connector_id) references connectors on delete cascade
);

create index dead_letters_by_connector on dead_letters (organization_id, connector_id, id);
create index dead_letters_by_object on dead_letters (organization_id, object_id);
create index dead_letters_by_cause on dead_letters (organization_id, connector_id, cause, id);
create index dead_letters_by_age on dead_letters (created_at);

-- Changes of accounts that such a connector is to be told with messages about their users, page by page. Until the first
-- page, further changes of the account are added. `after_user_id` is the last user of the pages that are queued, and
-- `due_at` the time since when the next page waits.
create table account_news (
  organization_id text not null,
  connector_id text not null,
  id bigint generated always as identity,
  account_id text not null,
  changes bytea not null,
  due_at timestamptz not null,
  after_user_id text,
  created_at timestamptz not null default now(),
  primary key (organization_id, connector_id, id),
  foreign key (organization_id, connector_id) references connectors on delete cascade
);

create unique index account_news_to_begin on account_news (organization_id, connector_id, account_id)
where after_user_id is null;
create index account_news_by_turn on account_news (organization_id, connector_id, due_at, id);
create index account_news_by_account on account_news (organization_id, account_id);
create index account_news_by_age on account_news (created_at);

-- What happened to the messages of a connector, by the minute. `considered` and `addressed` are counted where changes
-- become messages, `queued` where messages are put into the queue, and the rest after each call.
create table delivery_minutes (
  organization_id text not null,
  connector_id text not null,
  minute timestamptz not null,
  -- Messages about changes, on channels that the connector subscribes to.
  considered bigint not null default 0,
  -- Those that passed its filters.
  addressed bigint not null default 0,
  -- All that were put into its queue: also exports, notices and dead letters that are sent again.
  queued bigint not null default 0,
  calls bigint not null default 0,
  failed_calls bigint not null default 0,
  -- Messages in calls. Each attempt at a message counts.
  sent bigint not null default 0,
  delivered bigint not null default 0,
  retried bigint not null default 0,
  dead bigint not null default 0,
  -- The longest time that a delivered message had waited.
  lag_ms bigint not null default 0,
  primary key (organization_id, connector_id, minute),
  foreign key (organization_id, connector_id) references connectors on delete cascade
);

create index delivery_minutes_by_age on delivery_minutes (minute);

-- Why calls to a connector failed, by the hour. Causes are texts without the values that differ from call to call.
create table delivery_causes (
  organization_id text not null,
  connector_id text not null,
  hour timestamptz not null,
  cause text not null,
  status smallint not null,
  calls bigint not null,
  messages bigint not null,
  last_at timestamptz not null,
  primary key (organization_id, connector_id, hour, cause),
  foreign key (organization_id, connector_id) references connectors on delete cascade
);

create index delivery_causes_by_age on delivery_causes (hour);

-- Some messages as they were sent, with the answer: a few a minute for each connector. They are texts, because those
-- that mention an erased subject are found by a pattern.
create table kept_messages (
  at timestamptz not null default now(),
  organization_id text not null,
  connector_id text not null,
  notification_id text not null,
  message_id text not null,
  url text not null,
  request text not null,
  answer text not null
);

create index kept_messages_by_call on kept_messages (organization_id, notification_id, message_id);
create index kept_messages_by_age on kept_messages (at);

-- At most one row: while it is there, no connector is called. A restore writes it, because the server that the backup
-- was made of may still send the same messages.
create table held_calls (
  is_held boolean primary key default true check (is_held),
  backup_of timestamptz not null,
  since timestamptz not null default now()
);

-- # Notes about the work with connectors

-- Notes about the work with connectors, one partition a day: letting go of a day is dropping a table. The time of
-- writing decides the day, because there is always a partition for now; the times that are shown may be any. No
-- foreign keys, and one index each: thousands of rows a second are written and few are ever read. Ids are unique
-- across organizations, so an index without the organization finds the same rows and is smaller.

-- What connectors logged.
create table connector_logs (
  -- When the connector says it happened.
  at timestamptz not null,
  written_at timestamptz not null default now(),
  organization_id text not null,
  connector_id text not null,
  level text not null,
  message text not null,
  -- What it says besides, as it came: json keeps texts that jsonb refuses.
  data json not null,
  -- What people should know about an error; empty when there is nothing.
  summary text not null
) partition by range (written_at);

create index connector_logs_by_connector on connector_logs (connector_id, at);

-- What connectors were sent about users and accounts, one row for each message and attempt.
create table traces (
  sent_at timestamptz not null,
  written_at timestamptz not null default now(),
  duration_ms integer not null,
  -- The HTTP status of the answer; 0 when there was none.
  status smallint not null,
  notification_id uuid not null,
  organization_id text not null,
  object_id text not null,
  connector_id text not null,
  channel text not null,
  result text not null,
  message_id text not null,
  reason text not null
) partition by range (written_at);

-- Without the time: the rows of an object are few enough to sort, and equal keys share their space.
create index traces_by_object on traces (object_id);

-- What a connector was sent lately, and what it logged since the last look.
create index traces_by_connector on traces (connector_id, sent_at);

create index connector_logs_by_writing on connector_logs (connector_id, written_at);

-- # Jobs

-- Imports, extracts, and exports, which tell a connector about users or accounts that somebody chose. A job is run by the
-- process that holds its lease. When the lease has run out, the next process goes on from the checkpoint.
create table jobs (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  type text not null check (type in ('import', 'extract', 'export')),
  object text not null check (object in ('users', 'accounts', 'events')),
  status text not null default 'scheduled'
    check (status in ('scheduled', 'running', 'completed', 'failed', 'canceled')),
  name text not null,
  description text not null default '',
  connector_id text not null,
  parameters jsonb not null,
  -- When it is to run, or to run again after a failure that may pass.
  due_at timestamptz not null default now(),
  lease_holder text,
  leased_until timestamptz,
  -- How often it was begun since it last got further.
  attempts integer not null default 0,
  checkpoint jsonb not null default '{}',
  processed bigint not null default 0,
  total bigint,
  rejected bigint not null default 0,
  processed_bytes bigint not null default 0,
  total_bytes bigint,
  result jsonb,
  error text,
  -- The file that an extract has made, until it expires.
  file_bytes bigint,
  file_expires_at timestamptz,
  -- When to call the address that is told of the file; null when there is nothing to tell (any more).
  callback_due_at timestamptz,
  callback_attempts integer not null default 0,
  callback_error text,
  called_back_at timestamptz,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  -- The address that the job was requested with: it may have credentials.
  sealed_url bytea,
  primary key (organization_id, id)
);

create index jobs_to_run on jobs (due_at) where status in ('scheduled', 'running');
create index jobs_to_call_back on jobs (callback_due_at) where callback_due_at is not null;
create index jobs_with_files on jobs (file_expires_at) where file_expires_at is not null;
create index jobs_by_end on jobs (finished_at) where finished_at is not null;

-- Lines of an import file that are no record to begin with. Those that fail when applied are rejected entries.
create table job_rejections (
  organization_id text not null,
  job_id text not null,
  line bigint not null,
  code text not null,
  message text not null,
  primary key (organization_id, job_id, line),
  foreign key (organization_id, job_id) references jobs on delete cascade
);

-- # Entities

-- Things that users act on: pages, products, articles.
create table entities (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  -- The connector it is attached to; empty when every connector of the organization may see it.
  app_id text not null,
  uid text not null,
  -- Own values (name, description, picture, type, url, tags, extra), and `meta_tags` as read off the page at `url`.
  document jsonb not null default '{}',
  -- When the page is to be read; null when it was, or when there is none.
  fetch_at timestamptz,
  fetch_attempts integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id)
);

create unique index entities_by_uid on entities (organization_id, uid, app_id);

create index entities_by_value on entities using gin (document jsonb_path_ops);

create index entities_to_fetch on entities (fetch_at) where fetch_at is not null;

create trigger entities_added
after insert on entities
referencing new table as added
for each statement execute function count_added_objects('entity');

create trigger entities_removed
after delete on entities
referencing old table as removed
for each statement execute function count_removed_objects('entity');

-- # Members

-- People who sign in to the dashboard. E-mail addresses differ in more than upper and lower case.
create table members (
  id text primary key,
  email text not null,
  name text not null,
  -- Scrypt with its parameters and salt. Null: the member signs in by link alone.
  password_hash text,
  -- Members who run the server act as owners of every organization.
  is_operator boolean not null default false,
  -- When the member first used a link that was mailed to the address.
  email_proved_at timestamptz,
  created_at timestamptz not null default now(),
  last_signed_in_at timestamptz
);

create unique index members_by_email on members (lower(email));

create table member_roles (
  organization_id text not null references organizations on delete cascade,
  member_id text not null references members on delete cascade,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (organization_id, member_id)
);

create index member_roles_by_member on member_roles (member_id);

-- Tokens of sessions, links and invitations are stored as hashes: a copy of the database signs nobody in.
create table member_sessions (
  id text primary key,
  member_id text not null references members on delete cascade,
  token_hash bytea not null unique,
  user_agent text not null,
  address text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index member_sessions_by_member on member_sessions (member_id);

create table sign_in_links (
  token_hash bytea primary key,
  member_id text not null references members on delete cascade,
  -- Whether the link was mailed, so that its use shows that the address is the member's.
  is_mailed boolean not null,
  expires_at timestamptz not null
);

create table invitations (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  email text not null,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  token_hash bytea not null unique,
  invited_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (organization_id, id)
);

create unique index invitations_by_email on invitations (organization_id, lower(email));

-- Every change that a person has made. Rows outlive the member, so they hold the name that the member had.
create table audit_log (
  organization_id text not null references organizations on delete cascade,
  id bigint generated always as identity,
  happened_at timestamptz not null default now(),
  member_id text,
  who text not null,
  action text not null,
  object_type text,
  object_id text,
  label text,
  before jsonb,
  after jsonb,
  address text not null,
  primary key (organization_id, id)
);

create index audit_log_by_object on audit_log (organization_id, object_id, id);
create index audit_log_by_member on audit_log (organization_id, member_id, id);

-- # Processes that share the work

-- A process that takes work, or a thread of one. The work that it has taken is its own while `expires_at` is in the
-- future by the clock of the database. It renews this one row, however much work it has.
create table lease_holders (
  id text primary key,
  -- The same for a process and the one that replaces it.
  place text not null,
  -- The roles whose work it shares with other holders.
  roles text[] not null,
  host text not null,
  version text not null,
  started_at timestamptz not null default now(),
  expires_at timestamptz not null
) with (fillfactor = 50);

-- Who does a piece of work that one process at a time may do. A process that takes the work writes a new token. It
-- compares the token in every transaction that saves results, so that it notices when another process has taken over.
create table work_claims (
  organization_id text not null,
  work text not null,
  token text not null,
  -- The lease holder that does the work. Null when the work was given back.
  holder text,
  primary key (organization_id, work)
);

-- The server may run as a role that cannot change the schema. What it must change every day is in these functions, which
-- run as their owner and take the names of daily tables alone.
create function create_daily_partition(daily_table text, day date) returns void
language plpgsql security definer set search_path from current as $$
declare
  partition text := daily_table || '_' || to_char(day, 'YYYYMMDD');
begin
  if daily_table not in ('ingest_log', 'connector_logs', 'traces') then
    raise exception '% is no daily table', daily_table;
  end if;
  execute format('create table %I (like %I including defaults including constraints including storage)', partition, daily_table);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', daily_table, partition, day, day + 1);
end $$;

create function drop_daily_partition(daily_table text, partition text) returns void
language plpgsql security definer set search_path from current as $$
begin
  if daily_table not in ('ingest_log', 'connector_logs', 'traces') or partition !~ ('^' || daily_table || '_[0-9]{8}$') then
    raise exception '% is no partition of a daily table', partition;
  end if;
  execute format('drop table %I', partition);
end $$;

-- Everybody may call a new function, unless told otherwise.
revoke execute on function create_daily_partition(text, date) from public;

revoke execute on function drop_daily_partition(text, text) from public;
