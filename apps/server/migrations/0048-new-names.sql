-- How many new names of attributes and events end users have defined on a day (UTC): in the organization, by one of them, and
-- from one network. Who and which network is a hash with the key of the server.
create table new_name_counts (
  organization_id text not null references organizations on delete cascade,
  day timestamptz not null,
  counter text not null,
  names integer not null,
  primary key (organization_id, day, counter)
);

create index new_name_counts_by_day on new_name_counts (day);

-- New names that end users sent when they could define no more. A member defines them, or several senders agree on them.
create table waiting_names (
  organization_id text not null references organizations on delete cascade,
  kind text not null check (kind in ('user', 'account', 'event')),
  name text not null,
  type text not null,
  -- Hashes of the networks, and of the users with a token, that sent it. At most five.
  senders text[] not null,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  primary key (organization_id, kind, name)
);

create index waiting_names_by_age on waiting_names (last_at);

drop index event_definitions_by_end_users;
