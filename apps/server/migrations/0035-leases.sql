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

-- Null when the work was given back.
alter table work_claims add column holder text;

-- The server may run as a role that cannot change the schema. What it must change every day is in these functions, which
-- run as their owner and take the names of daily tables alone.
create function create_daily_partition(daily_table text, day date) returns void
language plpgsql security definer set search_path from current as $$
declare
  partition text := daily_table || '_' || to_char(day, 'YYYYMMDD');
begin
  if daily_table not in ('ingest_log', 'connector_logs', 'traces') then
    raise exception '% is no daily table', daily_table;
  end if;
  execute format('create table %I (like %I including defaults including constraints including storage)', partition, daily_table);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', daily_table, partition, day, day + 1);
end $$;

create function drop_daily_partition(daily_table text, partition text) returns void
language plpgsql security definer set search_path from current as $$
begin
  if daily_table not in ('ingest_log', 'connector_logs', 'traces') or partition !~ ('^' || daily_table || '_[0-9]{8}$') then
    raise exception '% is no partition of a daily table', partition;
  end if;
  execute format('drop table %I', partition);
end $$;

-- Everybody may call a new function, unless told otherwise.
revoke execute on function create_daily_partition(text, date) from public;
revoke execute on function drop_daily_partition(text, text) from public;
