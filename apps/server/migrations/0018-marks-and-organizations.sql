-- An organization that is being deleted. Nobody finds it any more, and its namespace can be used again at once.
alter table organizations add column deleted_at timestamptz;
alter table organizations drop constraint organizations_namespace_key;
create unique index organizations_by_namespace on organizations (namespace) where deleted_at is null;

-- Processes keep the connectors of organizations in memory, with whether the organization is enabled.
create function tell_organization_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('connectors_changed', new.id);
  return null;
end
$$;

create trigger organizations_changed
after update on organizations
for each row
when ((old.enabled, old.deleted_at) is distinct from (new.enabled, new.deleted_at))
execute function tell_organization_changed();
