-- Event names that an end user has defined. Their number in a day is limited.
alter table event_definitions add column by_end_user boolean not null default false;

create index event_definitions_by_end_users on event_definitions (organization_id, created_at) where by_end_user;
