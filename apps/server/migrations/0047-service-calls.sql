-- How much connectors use the API of the service that they work with, by the minute.
create table service_calls (
  organization_id text not null,
  connector_id text not null,
  minute timestamptz not null,
  calls bigint not null default 0,
  -- The least number of calls that the service still allowed in this minute, when the connector said so.
  remaining bigint,
  primary key (organization_id, connector_id, minute),
  foreign key (organization_id, connector_id) references connectors (organization_id, id) on delete cascade
);
create index service_calls_by_age on service_calls (minute);
