-- How many messages wait for each connector, and how many dead letters it has of each cause. Counting the rows took 24
-- seconds with a million messages in a queue, and every reading of the metrics did so.
create table queue_sizes (
  organization_id text not null,
  connector_id text not null,
  messages bigint not null,
  primary key (organization_id, connector_id),
  foreign key (organization_id, connector_id) references connectors on delete cascade
) with (fillfactor = 50);

create table dead_letter_counts (
  organization_id text not null,
  connector_id text not null,
  cause text not null,
  letters bigint not null,
  primary key (organization_id, connector_id, cause),
  foreign key (organization_id, connector_id) references connectors on delete cascade
) with (fillfactor = 50);

create function count_queued() returns trigger language plpgsql as $$
begin
  insert into queue_sizes as q (organization_id, connector_id, messages)
  select organization_id, connector_id, sum(cardinality(chosen) - sent)
  from added
  group by organization_id, connector_id
  -- Transactions that write to several queues lock the counts in the same order.
  order by organization_id, connector_id
  on conflict (organization_id, connector_id) do update set messages = q.messages + excluded.messages;
  return null;
end
$$;

-- Counts are not inserted here: the queue may be gone together with its connector.
create function count_unqueued() returns trigger language plpgsql as $$
begin
  update queue_sizes q
  set messages = q.messages - r.messages
  from (
    select organization_id, connector_id, sum(cardinality(chosen) - sent) as messages
    from removed
    group by organization_id, connector_id
  ) r
  where q.organization_id = r.organization_id and q.connector_id = r.connector_id;
  return null;
end
$$;

create function count_requeued() returns trigger language plpgsql as $$
begin
  update queue_sizes q
  set messages = q.messages + r.messages
  from (
    select organization_id, connector_id, sum(messages) as messages
    from (
      select organization_id, connector_id, cardinality(chosen) - sent as messages from added
      union all
      select organization_id, connector_id, sent - cardinality(chosen) from removed
    ) changed
    group by organization_id, connector_id
    having sum(messages) <> 0
  ) r
  where q.organization_id = r.organization_id and q.connector_id = r.connector_id;
  return null;
end
$$;

create trigger outbox_added
after insert on outbox
referencing new table as added
for each statement execute function count_queued();

create trigger outbox_removed
after delete on outbox
referencing old table as removed
for each statement execute function count_unqueued();

create trigger outbox_changed
after update on outbox
referencing old table as removed new table as added
for each statement execute function count_requeued();

create function count_dead_letters() returns trigger language plpgsql as $$
begin
  insert into dead_letter_counts as c (organization_id, connector_id, cause, letters)
  select organization_id, connector_id, cause, count(*)
  from added
  group by organization_id, connector_id, cause
  order by organization_id, connector_id, cause
  on conflict (organization_id, connector_id, cause) do update set letters = c.letters + excluded.letters;
  return null;
end
$$;

create function count_removed_letters() returns trigger language plpgsql as $$
begin
  perform
  from dead_letter_counts c
  where (organization_id, connector_id, cause) in (select organization_id, connector_id, cause from removed)
  order by organization_id, connector_id, cause
  for update;
  update dead_letter_counts c
  set letters = c.letters - r.letters
  from (
    select organization_id, connector_id, cause, count(*) as letters
    from removed
    group by organization_id, connector_id, cause
  ) r
  where c.organization_id = r.organization_id and c.connector_id = r.connector_id and c.cause = r.cause;
  return null;
end
$$;

create trigger dead_letters_added
after insert on dead_letters
referencing new table as added
for each statement execute function count_dead_letters();

create trigger dead_letters_removed
after delete on dead_letters
referencing old table as removed
for each statement execute function count_removed_letters();

-- A cause changes only when it named somebody who was erased.
create function count_changed_letter() returns trigger language plpgsql as $$
begin
  update dead_letter_counts
  set letters = letters - 1
  where organization_id = old.organization_id and connector_id = old.connector_id and cause = old.cause;
  insert into dead_letter_counts as c (organization_id, connector_id, cause, letters)
  values (new.organization_id, new.connector_id, new.cause, 1)
  on conflict (organization_id, connector_id, cause) do update set letters = c.letters + 1;
  return null;
end
$$;

create trigger dead_letters_changed
after update of cause on dead_letters
for each row
when (old.cause is distinct from new.cause)
execute function count_changed_letter();

-- The triggers have locked both tables, so nothing is written to them meanwhile.
insert into queue_sizes (organization_id, connector_id, messages)
select organization_id, connector_id, sum(cardinality(chosen) - sent) from outbox group by organization_id, connector_id;

insert into dead_letter_counts (organization_id, connector_id, cause, letters)
select organization_id, connector_id, cause, count(*) from dead_letters group by organization_id, connector_id, cause;
