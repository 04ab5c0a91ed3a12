-- Jobs that change an attribute of everybody, or the name of stored events.
alter table jobs drop constraint jobs_type_check;
alter table jobs add constraint jobs_type_check check (type in ('import', 'extract', 'export', 'rewrite'));

-- A job deletes the attribute: no record may write it any more.
alter table attribute_definitions add column removing boolean not null default false;

drop trigger attributes_changed on attribute_definitions;
create constraint trigger attributes_changed
after update on attribute_definitions
deferrable initially deferred
for each row
when (
  (old.type, old.visible, old.track_changes, old.server_only, old.removing)
  is distinct from (new.type, new.visible, new.track_changes, new.server_only, new.removing)
)
execute function renew_revision('attributes_revision');
