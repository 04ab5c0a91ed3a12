-- Single notifications are answered in any order. `chosen` then has the messages that are left, and `tries` the attempts
-- at them, by their index in the batch.
alter table outbox add column tries jsonb not null default '{}';

-- Whether a connector also gets messages about users when only their account has changed.
alter table connectors add column notify_users_of_account boolean not null default false;

drop trigger connectors_changed on connectors;
create trigger connectors_changed
after update on connectors
for each row
when (
  (old.name, old.manifest, old.settings, old.sealed_private_settings, old.sealed_secret, old.enabled, old.when_disabled,
   old.notify_users_of_account, old.status, old.status_messages)
  is distinct from
  (new.name, new.manifest, new.settings, new.sealed_private_settings, new.sealed_secret, new.enabled, new.when_disabled,
   new.notify_users_of_account, new.status, new.status_messages)
)
execute function tell_connectors_changed();

-- Changes of accounts that such a connector is to be told with messages about their users, page by page. Until the first
-- page, further changes of the account are added. `after_user_id` is the last user of the pages that are queued, and
-- `due_at` the time since when the next page waits.
create table account_news (
  organization_id text not null,
  connector_id text not null,
  id bigint generated always as identity,
  account_id text not null,
  changes bytea not null,
  due_at timestamptz not null,
  after_user_id text,
  created_at timestamptz not null default now(),
  primary key (organization_id, connector_id, id),
  foreign key (organization_id, connector_id) references connectors on delete cascade
);

create unique index account_news_to_begin on account_news (organization_id, connector_id, account_id)
where after_user_id is null;
create index account_news_by_turn on account_news (organization_id, connector_id, due_at, id);
create index account_news_by_account on account_news (organization_id, account_id);
create index account_news_by_age on account_news (created_at);

-- The users of an account are read page by page, in the order of their ids.
create index users_by_account_and_id on users (organization_id, account_id, id) where account_id is not null;
drop index users_by_account;
