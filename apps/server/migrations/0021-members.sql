-- People who sign in to the dashboard. E-mail addresses differ in more than upper and lower case.
create table members (
  id text primary key,
  email text not null,
  name text not null,
  -- Scrypt with its parameters and salt. Null: the member signs in by link alone.
  password_hash text,
  -- Members who run the server act as owners of every organization.
  is_operator boolean not null default false,
  -- When the member first used a link that was mailed to the address.
  email_proved_at timestamptz,
  created_at timestamptz not null default now(),
  last_signed_in_at timestamptz
);

create unique index members_by_email on members (lower(email));

create table member_roles (
  organization_id text not null references organizations on delete cascade,
  member_id text not null references members on delete cascade,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (organization_id, member_id)
);

create index member_roles_by_member on member_roles (member_id);

-- Tokens of sessions, links and invitations are stored as hashes: a copy of the database signs nobody in.
create table member_sessions (
  id text primary key,
  member_id text not null references members on delete cascade,
  token_hash bytea not null unique,
  user_agent text not null,
  address text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index member_sessions_by_member on member_sessions (member_id);

create table sign_in_links (
  token_hash bytea primary key,
  member_id text not null references members on delete cascade,
  -- Whether the link was mailed, so that its use shows that the address is the member's.
  is_mailed boolean not null,
  expires_at timestamptz not null
);

create table invitations (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  email text not null,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  token_hash bytea not null unique,
  invited_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (organization_id, id)
);

create unique index invitations_by_email on invitations (organization_id, lower(email));

-- Every change that a person has made. Rows outlive the member, so they hold the name that the member had.
create table audit_log (
  organization_id text not null references organizations on delete cascade,
  id bigint generated always as identity,
  happened_at timestamptz not null default now(),
  member_id text,
  who text not null,
  action text not null,
  object_type text,
  object_id text,
  label text,
  before jsonb,
  after jsonb,
  address text not null,
  primary key (organization_id, id)
);

create index audit_log_by_object on audit_log (organization_id, object_id, id);
create index audit_log_by_member on audit_log (organization_id, member_id, id);
