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
  entity_id text not null,
  connector_id text not null,
  channel text not null,
  result text not null,
  message_id text not null,
  reason text not null
) partition by range (written_at);

-- Without the time: the rows of an entity are few enough to sort, and equal keys share their space.
create index traces_by_entity on traces (entity_id);
