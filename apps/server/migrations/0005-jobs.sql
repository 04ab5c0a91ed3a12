-- Imports and extracts. A job is run by the process that holds its lease; one whose lease has run out is taken up by
-- the next process, from its checkpoint.
create table jobs (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  type text not null check (type in ('import', 'extract')),
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
  primary key (organization_id, id)
);

create index jobs_to_run on jobs (due_at) where status in ('scheduled', 'running');
create index jobs_to_call_back on jobs (callback_due_at) where callback_due_at is not null;
create index jobs_with_files on jobs (file_expires_at) where file_expires_at is not null;

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

alter table rejected_entries add column job_id text, add column line bigint;

create index rejected_entries_by_job on rejected_entries (organization_id, job_id, line) where job_id is not null;
