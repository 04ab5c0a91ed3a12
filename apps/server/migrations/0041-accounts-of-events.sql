-- The account that an event was recorded within. A record with the same event id may move the event to another account, and
-- the segments of the former account must be evaluated again. It is null for events that were stored before this migration.
alter table event_keys add column account_id text;

alter table end_user_event_keys add column account_id text;
