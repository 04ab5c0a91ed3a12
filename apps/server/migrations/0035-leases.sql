-- A process that takes work, or a thread of one. The work that it has taken is its own while `expires_at` is in the
-- future by the clock of the database. It renews this one row, however much work it has.
create table lease_holders (
  id text primary key,
  -- The same for a process and the one that replaces it.
  place text not null,
  -- The roles whose work it shares with other holders.
  roles text[] not null,
  host text not null,
  version text not null,
  started_at timestamptz not null default now(),
  expires_at timestamptz not null
) with (fillfactor = 50);

-- `holder` is null when the work was given back. `previous` is the token before the present one: with it a process that
-- takes work again knows whether another one has had it in between.
alter table work_claims
  add column holder text,
  add column previous text;
