-- Who does a piece of work that one process at a time may do. A process that takes the work writes a new token. It
-- compares the token in every transaction that saves results, so that it notices when another process has taken over.
create table work_claims (
  organization_id text not null,
  work text not null,
  token text not null,
  primary key (organization_id, work)
);

-- Stages of the pipeline whose last step failed, with the reason. A step that succeeds removes its row.
create table stage_problems (
  organization_id text not null,
  stage text not null,
  message text not null,
  since timestamptz not null default now(),
  primary key (organization_id, stage)
);

-- Why a segment cannot be evaluated. It keeps its members until it can.
alter table segments
  add column problem text,
  add column problem_since timestamptz;

-- When a record last carried the attribute, to the minute. `updated_at` is the time of the last change of the definition.
alter table attribute_definitions add column last_seen_at timestamptz;

-- Attributes with a source were defined by a record that carried them.
update attribute_definitions set last_seen_at = created_at where source is not null;
