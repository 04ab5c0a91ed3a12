-- What people note about a segment, and where they keep it in their list.
alter table segments
  add column description text not null default '',
  add column tags text[] not null default '{}',
  add column folder text not null default '';

-- Each definition that a segment has had, the present one included. The oldest ones go when there are too many.
create table segment_versions (
  organization_id text not null,
  segment_id text not null,
  number integer not null,
  name text not null,
  query jsonb not null,
  predicate jsonb not null,
  -- Who saved it. Null for segments that were saved before their versions were kept.
  who text,
  -- The version whose definition was saved again.
  restored integer,
  saved_at timestamptz not null default now(),
  primary key (organization_id, segment_id, number),
  foreign key (organization_id, segment_id) references segments on delete cascade
);

insert into segment_versions (organization_id, segment_id, number, name, query, predicate, saved_at)
select organization_id, id, 1, name, query, predicate, updated_at from segments;
