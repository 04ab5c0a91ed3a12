-- What people agree to. Nothing about a user who has not agreed is sent to a connector that serves a purpose.
create table purposes (
  organization_id text not null,
  name text not null,
  description text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, name),
  foreign key (organization_id) references organizations on delete cascade
);

alter table connectors
  -- The purposes that the connector serves. A purpose that is named here is not deleted.
  add column purposes text[] not null default '{}';

alter table delivery_minutes
  -- Messages that were not sent, because their user has not agreed to the purposes of the connector.
  add column withheld bigint not null default 0;
