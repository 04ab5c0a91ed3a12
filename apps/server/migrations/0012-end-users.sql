-- Attributes that an end user has defined. Their number in a day is limited.
alter table attribute_definitions add column by_end_user boolean not null default false;

-- Events to which an end user has given an id. Such ids belong to one user: another user's event has the same id without
-- being the same event. `user_id` is the user at the time of the record; after a merge it is a former id of the user.
create table end_user_event_keys (
  organization_id text not null,
  user_id text not null,
  event_digest text not null,
  id text not null,
  event text not null,
  created_at bigint not null,
  recorded_at bigint not null,
  primary key (organization_id, user_id, event_digest)
);
