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

-- The change that erased the subject: the clean-up begins when all stages have passed it.
alter table erased add column sequence bigint not null default 0;

alter table erasure_passes
  add column until_sequence bigint not null default 0,
  add column counts jsonb not null default '{}';

create index comments_by_author on comments (organization_id, author_id) where author_id is not null;

-- Subjects that were erased before the clean-up reached queues, extracts and the files of the question engine are cleaned
-- once more, by their ids. What is older than this is beyond its retention.
update erased set cleaned_at = null where erased_at > now() - interval '30 days';

update jobs j
set file_expires_at = now(), callback_due_at = null
where type = 'extract' and file_expires_at > now()
  and exists (select from erased e where e.organization_id = j.organization_id and e.erased_at > j.created_at);
