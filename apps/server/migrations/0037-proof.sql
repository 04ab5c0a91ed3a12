-- What pages say alone is a hint (src/domain/identity/proof.ts). An organization may choose to join visitors by hints, with the
-- risk that a stranger who types an address is taken for its owner.
alter table organizations add column join_by_hints boolean not null default false;

drop trigger organizations_changed on organizations;

create trigger organizations_changed
after update on organizations
for each row
when (
  (old.name, old.enabled, old.join_by_hints, old.deleted_at)
  is distinct from (new.name, new.enabled, new.join_by_hints, new.deleted_at)
)
execute function tell_organization_changed();

-- End users may not write the attribute. Null: as the first attribute of its group says.
alter table attribute_definitions add column server_only boolean;

drop trigger attributes_changed on attribute_definitions;

-- `last_seen_at` is not among these: it is written every minute.
create constraint trigger attributes_changed
after update on attribute_definitions
deferrable initially deferred
for each row
when (
  (old.type, old.visible, old.track_changes, old.server_only)
  is distinct from (new.type, new.visible, new.track_changes, new.server_only)
)
execute function renew_revision('attributes_revision');
