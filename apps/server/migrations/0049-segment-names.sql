-- A name belongs to one segment of an organization, whatever its case. Segments that had the same name before keep it
-- until they are renamed: connectors, and queries about `segment_name`, may know them by it. The oldest of them owns the
-- name, the others share it.
alter table segments add column shares_name boolean not null default false;

update segments later
set shares_name = true
where exists (
  select
  from segments earlier
  where earlier.organization_id = later.organization_id
    and lower(btrim(earlier.name)) = lower(btrim(later.name))
    and (earlier.created_at, earlier.id) < (later.created_at, later.id)
);

create unique index segments_name on segments (organization_id, lower(btrim(name))) where not shares_name;
