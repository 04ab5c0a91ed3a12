-- Ids that a link has carried to another domain of a platform, and that were taken over there: each is taken over once. A
-- row is needed until the carried id expires, two minutes after it was made. The digest tells nothing about the visitor.
create table used_carried_ids (
  organization_id text not null references organizations on delete cascade,
  digest bytea not null,
  expires_at timestamptz not null,
  primary key (organization_id, digest)
);

create index used_carried_ids_expires_at_idx on used_carried_ids (expires_at);
