-- Accounts that were merged or erased and have users who still name them. The users follow in pages, because an account may
-- have a million of them. Whoever reads a user takes the account from here.
create table account_relinks (
  organization_id text not null,
  from_account text not null,
  -- Null: the account was erased, or its survivor was.
  to_account text,
  -- Users up to this one have followed.
  after_user_id text not null default '',
  -- Connectors are not notified.
  is_quiet boolean not null,
  id bigint generated always as identity,
  created_at timestamptz not null default now(),
  primary key (organization_id, from_account)
);

create index account_relinks_by_turn on account_relinks (organization_id, id);
create index account_relinks_by_survivor on account_relinks (organization_id, to_account) where to_account is not null;
