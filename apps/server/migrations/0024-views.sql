-- Saved views of the lists of users and accounts: what is filtered, which columns are shown, in which order. All members
-- of an organization share them.
create table views (
  organization_id text not null references organizations on delete cascade,
  id bigint generated always as identity,
  name text not null,
  target text not null check (target in ('user', 'account')),
  predicate jsonb not null,
  search text not null,
  columns jsonb not null,
  sort jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id)
);
