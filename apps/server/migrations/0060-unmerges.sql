-- A merged user or account consists of halves: one for each that took part in its merges. A half is what that one would be now
-- if it had never been merged. Whoever was never merged has none.
create table merge_halves (
  organization_id text not null,
  -- The id that it had before it was merged.
  id text not null,
  -- The user or account that it is part of.
  subject_id text not null,
  -- The half that it was merged into. Null for the one that survived all merges.
  merged_into text,
  -- Orders the merges of a subject.
  merged_as bigint not null default 0,
  state json not null,
  -- What records wrote here of which nobody can tell whether they meant this half.
  undecided json,
  primary key (organization_id, id)
);

create index merge_halves_by_subject on merge_halves (organization_id, subject_id);

-- Which half of its owner an identifier belongs to. Null for the owner itself.
alter table user_identifiers add column half_id text;
alter table account_identifiers add column half_id text;

-- The account that a record linked a user to, when that account was merged into the present one since.
alter table users add column account_origin text;

create index users_by_account_origin on users (organization_id, account_origin, id) where account_origin is not null;

-- Merges that were undone.
create table undone_merges (
  organization_id text not null,
  id bigint generated always as identity,
  loser_id text not null,
  survivor_id text not null,
  loser_state json not null,
  merged_at timestamptz not null,
  undone_at timestamptz not null default now(),
  cause json,
  primary key (organization_id, id)
);

create index undone_merges_by_loser on undone_merges (organization_id, loser_id);
create index undone_merges_by_survivor on undone_merges (organization_id, survivor_id);

-- Users and accounts that must not be merged again. The ids may be former ones.
create table do_not_merge (
  organization_id text not null,
  id text not null,
  subject_type text not null check (subject_type in ('user', 'account')),
  one_id text not null,
  other_id text not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  unique (organization_id, one_id, other_id)
);

create index do_not_merge_by_other on do_not_merge (organization_id, other_id);
create index do_not_merge_by_time on do_not_merge (organization_id, created_at);

-- Accounts that were split off, whose users are still to return to them, in pages in the order of their ids.
create table account_returns (
  organization_id text not null,
  id bigint generated always as identity,
  -- What the users were linked to by their records.
  origin text not null,
  to_account text,
  after_user_id text not null default '',
  is_quiet boolean not null default false,
  primary key (organization_id, id)
);
