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

-- Dead letters are grouped by their cause. People may edit one before it is sent again.
alter table dead_letters add column cause text not null default '';
update dead_letters set cause = reason;
alter table dead_letters add column edited_by text;
alter table dead_letters add column edited_at timestamptz;

create index dead_letters_by_cause on dead_letters (organization_id, connector_id, cause, id);

-- What a connector was sent lately, and what it logged since the last look.
create index traces_by_connector on traces (connector_id, sent_at);
create index connector_logs_by_writing on connector_logs (connector_id, written_at);
