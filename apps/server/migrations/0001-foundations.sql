create table organizations (
  id text primary key,
  namespace text not null unique,
  name text not null,
  enabled boolean not null default true,
  created_at timestamptz not null default now()
);

create table connectors (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  name text not null,
  sealed_secret bytea not null,
  manifest jsonb not null default '{}',
  manifest_url text,
  source_url text,
  settings jsonb not null default '{}',
  sealed_private_settings bytea,
  status text not null default 'ok' check (status in ('ok', 'warning', 'error', 'setupRequired')),
  status_messages text[] not null default '{}',
  status_updated_at timestamptz,
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id)
);

-- Tokens and query credentials name a connector without its organization.
create unique index connectors_by_id on connectors (id);

create table comments (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  object_id text not null,
  author_id text,
  body text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id)
);

create index comments_by_object on comments (organization_id, object_id, id);
