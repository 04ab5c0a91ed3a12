-- What processes keep in memory of an organization is valid as long as its revision is the same. A revision is random, so
-- that the one of a transaction that was rolled back, or of another database, never comes again.
alter table organizations
  add column attributes_revision uuid not null default gen_random_uuid(),
  add column events_revision uuid not null default gen_random_uuid(),
  add column segments_revision uuid not null default gen_random_uuid();

create function renew_revision() returns trigger language plpgsql as $$
begin
  execute format('update organizations set %I = gen_random_uuid() where id = $1 and deleted_at is null', tg_argv[0])
  using coalesce(new.organization_id, old.organization_id);
  return null;
end
$$;

-- They run at the end of a transaction. So the row of the organization is locked after all others, and two transactions
-- that write definitions do not wait for each other in a circle.
create constraint trigger attributes_came_or_went
after insert or delete on attribute_definitions
deferrable initially deferred
for each row
execute function renew_revision('attributes_revision');

-- `last_seen_at` is not among these: it is written every minute.
create constraint trigger attributes_changed
after update on attribute_definitions
deferrable initially deferred
for each row
when ((old.type, old.visible, old.track_changes) is distinct from (new.type, new.visible, new.track_changes))
execute function renew_revision('attributes_revision');

create constraint trigger events_changed
after insert or delete or update of properties on event_definitions
deferrable initially deferred
for each row
execute function renew_revision('events_revision');

create constraint trigger segments_came_or_went
after insert or delete on segments
deferrable initially deferred
for each row
execute function renew_revision('segments_revision');

create constraint trigger segments_changed
after update on segments
deferrable initially deferred
for each row
when (
  (old.name, old.query, old.predicate, old.changes_with_time, old.revision, old.problem, old.updated_at)
  is distinct from (new.name, new.query, new.predicate, new.changes_with_time, new.revision, new.problem, new.updated_at)
)
execute function renew_revision('segments_revision');
