-- Connectors report what became of each message at the service that they work with.
alter table traces
  -- Whether the connector reported the result of this message. Otherwise it is that of the whole call.
  add column is_reported boolean not null default false,
  -- What the service answered, if it did not accept the message.
  add column body text not null default '';

alter table delivery_minutes
  -- Messages for which the connector had nothing to do.
  add column skipped bigint not null default 0,
  -- Messages of which the connector said nothing, although it reported about others of the same call.
  add column unreported bigint not null default 0,
  -- Messages that the service refused for good. They are among the dead.
  add column refused bigint not null default 0;
