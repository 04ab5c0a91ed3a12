-- Saved trends, funnels and retentions, which all members of an organization share. Those with a place are cards of the home.
create table saved_insights (
  organization_id text not null references organizations on delete cascade,
  id bigint generated always as identity,
  name text not null,
  question jsonb not null,
  home_place integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id)
);

create unique index saved_insights_name on saved_insights (organization_id, lower(btrim(name)));
