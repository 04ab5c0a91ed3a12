-- What becomes of notifications while a connector is disabled: they are dropped, or held until it is enabled again.
alter table connectors add column when_disabled text not null default 'drop' check (when_disabled in ('drop', 'hold'));

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
   old.status, old.status_messages)
  is distinct from
  (new.name, new.manifest, new.settings, new.sealed_private_settings, new.sealed_secret, new.enabled, new.when_disabled,
   new.status, new.status_messages)
)
execute function tell_connectors_changed();

-- How far the change log was told to connectors; locked while a step of it is told. Evaluation appends what it found to
-- the log, and it is told at once with its cause: `ahead` of its turn.
create table notify_cursors (
  organization_id text primary key references organizations on delete cascade,
  sequence bigint not null default 0,
  ahead bigint[] not null default '{}'
);

-- Messages, packed, once for all the connectors that get them.
create table message_batches (
  organization_id text not null references organizations on delete cascade,
  id bigint generated always as identity,
  is_export boolean not null,
  payload bytea not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, id)
);

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
  primary key (organization_id, connector_id, position),
  foreign key (organization_id, connector_id) references connectors on delete cascade
);

create index outbox_by_batch on outbox (organization_id, batch_id);

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
  entity_id text not null,
  message bytea not null,
  request jsonb not null,
  answer jsonb,
  reason text not null,
  attempts integer not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, connector_id) references connectors on delete cascade
);

create index dead_letters_by_connector on dead_letters (organization_id, connector_id, id);
create index dead_letters_by_entity on dead_letters (organization_id, entity_id);

-- The newest key signs; older ones stay readable, because notifications signed with them may still be on their way.
create table signing_keys (
  id text primary key,
  public_key text not null,
  sealed_private_key bytea not null,
  created_at timestamptz not null default now()
);

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

-- Connectors that can be installed: the manifests that were seen.
create table catalogue (
  organization_id text not null references organizations on delete cascade,
  manifest_url text not null,
  source_url text not null,
  manifest jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (organization_id, manifest_url)
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
