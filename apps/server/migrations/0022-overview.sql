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

-- The rejected entries that nobody has tried again.
create index rejected_entries_waiting on rejected_entries (organization_id) where retried_at is null;

-- When the last record came from a page of the platform, to within some seconds.
alter table platforms add column last_record_at timestamptz;
