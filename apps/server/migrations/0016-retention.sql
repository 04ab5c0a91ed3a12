-- Rows that are kept for a while only are found by their age.
create index rejected_entries_by_age on rejected_entries (rejected_at);
create index dead_letters_by_age on dead_letters (created_at);
create index status_history_by_age on status_history (created_at);
create index jobs_by_end on jobs (finished_at) where finished_at is not null;
create index erased_by_cleaning on erased (cleaned_at) where cleaned_at is not null;
create index outbox_by_age on outbox (created_at);

-- How many entities and comments each organization has. Counting the rows would take longer with each one.
create table object_counts (
  organization_id text not null references organizations on delete cascade,
  kind text not null check (kind in ('entity', 'comment')),
  count bigint not null,
  primary key (organization_id, kind)
);

insert into object_counts (organization_id, kind, count)
select organization_id, 'entity', count(*) from entities group by organization_id
union all
select organization_id, 'comment', count(*) from comments group by organization_id;

create function count_added_objects() returns trigger language plpgsql as $$
begin
  insert into object_counts as c (organization_id, kind, count)
  select organization_id, tg_argv[0], count(*) from added group by organization_id
  on conflict (organization_id, kind) do update set count = c.count + excluded.count;
  return null;
end
$$;

create function count_removed_objects() returns trigger language plpgsql as $$
begin
  update object_counts c
  set count = c.count - r.count
  from (select organization_id, count(*) as count from removed group by organization_id) r
  where c.organization_id = r.organization_id and c.kind = tg_argv[0];
  return null;
end
$$;

create trigger entities_added
after insert on entities
referencing new table as added
for each statement execute function count_added_objects('entity');

create trigger entities_removed
after delete on entities
referencing old table as removed
for each statement execute function count_removed_objects('entity');

create trigger comments_added
after insert on comments
referencing new table as added
for each statement execute function count_added_objects('comment');

create trigger comments_removed
after delete on comments
referencing old table as removed
for each statement execute function count_removed_objects('comment');
