-- Identifiers that were taken from a profile by `unalias`. An erasure removes them from the logs too, and refuses late records
-- by them. `owner_id` is the user or account at that time; after a merge it is a former id.
create table former_identifiers (
  organization_id text not null,
  owner_id text not null,
  kind text not null,
  value text not null,
  primary key (organization_id, owner_id, kind, value)
);
