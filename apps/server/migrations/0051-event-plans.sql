-- What an organization has decided about a name of events: what it means, which properties its events must have, and under
-- which name they are stored. A name can be planned before its first event.
create table event_plans (
  organization_id text not null references organizations on delete cascade,
  name text not null,
  description text not null default '',
  owner text not null default '',
  -- A list of {name, type, required, description}. Null: the events may have any properties.
  properties jsonb,
  -- Events that do not follow the plan are refused. Otherwise they are stored and counted.
  refuses boolean not null default false,
  -- Lists do not offer the name.
  hidden boolean not null default false,
  -- New events with this name get that name. Never the name of a row that is merged itself.
  merged_into text,
  updated_at timestamptz not null default now(),
  primary key (organization_id, name)
);

-- Counts of what did not follow a plan since the plan was last changed. It holds names and types, and no values.
create table event_plan_problems (
  organization_id text not null references organizations on delete cascade,
  name text not null,
  property text not null,
  problem text not null check (problem in ('unknown', 'wrong_type', 'missing')),
  -- The type of the value that came last. Empty for a missing property.
  found text not null,
  count bigint not null,
  refused bigint not null,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  primary key (organization_id, name, property, problem)
);

alter table organizations add column event_plans_revision uuid not null default gen_random_uuid();

create constraint trigger event_plans_changed
after insert or delete or update on event_plans
deferrable initially deferred
for each row
execute function renew_revision('event_plans_revision');
