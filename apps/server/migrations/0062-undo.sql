-- The changes in which a connector or a job has written something that can be taken back: their payloads have the notes.
create table change_writers (
  organization_id text not null,
  -- As cells name it: the connector, or the connector and the job.
  writer text not null,
  sequence bigint not null,
  written_at timestamptz not null default now(),
  primary key (organization_id, writer, sequence)
);

alter table jobs drop constraint jobs_type_check;
alter table jobs add constraint jobs_type_check check (type in ('import', 'extract', 'export', 'rewrite', 'revert'));
