-- Things that users act on: pages, products, articles.
create table entities (
  organization_id text not null references organizations on delete cascade,
  id text not null,
  -- The connector it is attached to; empty when every connector of the organization may see it.
  app_id text not null,
  uid text not null,
  -- Own values (name, description, picture, type, url, tags, extra), and `meta_tags` as read off the page at `url`.
  document jsonb not null default '{}',
  -- When the page is to be read; null when it was, or when there is none.
  fetch_at timestamptz,
  fetch_attempts integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id)
);

create unique index entities_by_uid on entities (organization_id, uid, app_id);

create index entities_by_value on entities using gin (document jsonb_path_ops);

create index entities_to_fetch on entities (fetch_at) where fetch_at is not null;
