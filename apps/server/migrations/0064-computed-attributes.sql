-- Attributes whose values are computed: from events, from other attributes, or over the users of an account.
create table computed_attributes (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  subject_type text not null check (subject_type in ('user', 'account')),
  name text not null,
  description text not null default '',
  compute jsonb not null,
  type text not null,
  -- The time alone can change values.
  moves_with_time boolean not null,
  revision integer not null default 1,
  -- Everybody has the values of this revision.
  filled_revision integer not null default 0,
  -- The filling has come to this subject. Null: all subjects were asked about.
  fill_after text default '',
  -- The filling ends when the relay has come to this change, which is the last one that it has made.
  fill_until bigint,
  processed bigint not null default 0,
  total bigint not null default 0,
  -- Why it cannot be computed, and since when.
  problem text,
  problem_since timestamptz,
  -- Up to this time, the values of subjects that the time alone has moved are computed.
  looked_at timestamptz,
  computed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id)
);

create unique index computed_attributes_name on computed_attributes (organization_id, subject_type, name);

-- Null: the organization has no computed attributes.
alter table organizations add column computed_revision uuid;

create function renew_computed_revision() returns trigger language plpgsql as $$
begin
  update organizations
  set computed_revision = case
    when exists (select from computed_attributes where organization_id = organizations.id) then gen_random_uuid()
  end
  where id = coalesce(new.organization_id, old.organization_id) and deleted_at is null;
  return null;
end
$$;

create constraint trigger computed_attributes_came_or_went
after insert or delete on computed_attributes
deferrable initially deferred
for each row
execute function renew_computed_revision();

create constraint trigger computed_attributes_changed
after update on computed_attributes
deferrable initially deferred
for each row
when (
  (old.name, old.compute, old.type, old.revision, old.problem)
  is distinct from (new.name, new.compute, new.type, new.revision, new.problem)
)
execute function renew_computed_revision();

-- The computed attribute that writes the values. Nobody else may.
alter table attribute_definitions add column computed_by text;

drop trigger attributes_changed on attribute_definitions;
create constraint trigger attributes_changed
after update on attribute_definitions
deferrable initially deferred
for each row
when (
  (old.type, old.visible, old.track_changes, old.server_only, old.removing, old.computed_by)
  is distinct from (new.type, new.visible, new.track_changes, new.server_only, new.removing, new.computed_by)
)
execute function renew_revision('attributes_revision');
