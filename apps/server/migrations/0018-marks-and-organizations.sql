-- What an admin has decided about a user. It is no attribute: connectors are not told, and segments do not ask for it.
-- A user without a row is approved and no admin.
create table user_marks (
  organization_id text not null,
  user_id text not null,
  is_admin boolean not null,
  approved boolean not null,
  notifications jsonb not null,
  primary key (organization_id, user_id)
);

-- Sign-ins are counted for each connector that issued the token.
alter table sign_ins add column first_signed_in_at timestamptz;
update sign_ins set first_signed_in_at = signed_in_at where sign_in_count = 1;
alter table sign_ins drop constraint sign_ins_pkey;
alter table sign_ins add primary key (organization_id, user_id, app_id);

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
