-- Texts that let their holders write in the name of a connector. The text is made when somebody first asks for it, because
-- only the server can seal it. Until then it is null, and nobody can use the key.
create table write_keys (
  organization_id text not null,
  connector_id text not null,
  id bigint generated always as identity,
  kind text not null check (kind in ('server', 'page')),
  name text not null,
  domains text[] not null default '{}',
  apps text[] not null default '{}',
  -- The owner of a page key has decided that what its calls say about who somebody is counts as proof.
  trusts_identify boolean not null default false,
  sealed_key bytea,
  -- SHA-256 of the text.
  key_hash bytea,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  primary key (organization_id, connector_id, id),
  foreign key (organization_id, connector_id) references connectors on delete cascade,
  check ((sealed_key is null) = (key_hash is null))
);

-- A call names the key without its organization.
create unique index write_keys_by_hash on write_keys (key_hash);

insert into write_keys (organization_id, connector_id, kind, name)
select organization_id, id, 'server', 'Server key' from connectors;
