-- Single notifications are answered in any order. `chosen` then has the messages that are left, and `tries` the attempts
-- at them, by their index in the batch.
alter table outbox add column tries jsonb not null default '{}';
