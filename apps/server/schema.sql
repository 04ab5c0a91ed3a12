create table account_identifiers (
  organization_id text not null,
  kind text not null,
  value text not null,
  account_id text not null,
  constraint account_identifiers_pkey PRIMARY KEY (organization_id, kind, value)
);
CREATE INDEX account_identifiers_by_account ON public.account_identifiers USING btree (organization_id, account_id);

create table accounts (
  organization_id text not null,
  id text not null,
  state json not null,
  version bigint not null,
  constraint accounts_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=80);

create table apply_cursors (
  organization_id text not null,
  lane "char" not null,
  "position" bigint not null default 0,
  entry_offset integer not null default 0,
  entries bigint not null default 0,
  received_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint apply_cursors_pkey PRIMARY KEY (organization_id, lane)
);

create table attribute_definitions (
  organization_id text not null,
  entity text not null,
  name text not null,
  type text not null,
  visible boolean not null default true,
  track_changes boolean not null default true,
  source text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint attribute_definitions_pkey PRIMARY KEY (organization_id, entity, name),
  constraint attribute_definitions_entity_check CHECK ((entity = ANY (ARRAY['user'::text, 'account'::text]))),
  constraint attribute_definitions_type_check CHECK ((type = ANY (ARRAY['string'::text, 'numeric'::text, 'date'::text, 'boolean'::text, 'array'::text, 'json'::text])))
);

create table change_heads (
  organization_id text not null,
  sequence bigint not null default 0,
  constraint change_heads_pkey PRIMARY KEY (organization_id)
);

create table changes (
  organization_id text not null,
  sequence bigint not null,
  lane "char" not null,
  "position" bigint not null,
  payload bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint changes_pkey PRIMARY KEY (organization_id, sequence)
);

create table comments (
  organization_id text not null,
  id text not null,
  object_id text not null,
  author_id text,
  body text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint comments_pkey PRIMARY KEY (organization_id, id),
  constraint comments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX comments_by_object ON public.comments USING btree (organization_id, object_id, id);

create table connectors (
  organization_id text not null,
  id text not null,
  name text not null,
  sealed_secret bytea not null,
  manifest jsonb not null default '{}'::jsonb,
  manifest_url text,
  source_url text,
  settings jsonb not null default '{}'::jsonb,
  sealed_private_settings bytea,
  status text not null default 'ok'::text,
  status_messages text[] not null default '{}'::text[],
  status_updated_at timestamp with time zone,
  enabled boolean not null default true,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint connectors_pkey PRIMARY KEY (organization_id, id),
  constraint connectors_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint connectors_status_check CHECK ((status = ANY (ARRAY['ok'::text, 'warning'::text, 'error'::text, 'setupRequired'::text])))
);
CREATE UNIQUE INDEX connectors_by_id ON public.connectors USING btree (id);

create table deleted_segments (
  organization_id text not null,
  id text not null,
  entity text not null,
  name text not null,
  constraint deleted_segments_pkey PRIMARY KEY (organization_id, id),
  constraint deleted_segments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table erased (
  organization_id text not null,
  id text not null,
  erased_at timestamp with time zone not null default now(),
  cleaned_at timestamp with time zone,
  identifiers text[] not null default '{}'::text[],
  constraint erased_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX erased_to_clean ON public.erased USING btree (organization_id) WHERE (cleaned_at IS NULL);

create table erasure_passes (
  organization_id text not null,
  started_at timestamp with time zone not null default now(),
  step text not null,
  after bigint not null default 0,
  constraint erasure_passes_pkey PRIMARY KEY (organization_id)
);

create table event_definitions (
  organization_id text not null,
  name text not null,
  properties jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint event_definitions_pkey PRIMARY KEY (organization_id, name)
);

create table event_keys (
  organization_id text not null,
  event_id text not null,
  recorded_at bigint not null,
  event text not null,
  created_at bigint not null,
  user_id text not null,
  constraint event_keys_pkey PRIMARY KEY (organization_id, event_id)
);

create table ingest_log (
  organization_id text not null,
  lane "char" not null,
  "position" bigint not null,
  received_at timestamp with time zone not null,
  connector_id text not null,
  entry_count integer not null,
  payload bytea not null,
  constraint ingest_log_pkey PRIMARY KEY (organization_id, lane, "position", received_at)
) partition by RANGE (received_at);

create table ingest_receipts (
  organization_id text not null,
  digest bytea not null,
  answer text not null,
  received_at timestamp with time zone not null,
  constraint ingest_receipts_pkey PRIMARY KEY (organization_id, digest)
);
CREATE INDEX ingest_receipts_by_age ON public.ingest_receipts USING btree (received_at);

create table log_heads (
  organization_id text not null,
  lane "char" not null,
  "position" bigint not null default 0,
  entries bigint not null default 0,
  constraint log_heads_pkey PRIMARY KEY (organization_id, lane)
);

create table merges (
  organization_id text not null,
  loser_id text not null,
  survivor_id text not null,
  loser_state json not null,
  survivor_state json not null,
  merged_at timestamp with time zone not null default now(),
  constraint merges_pkey PRIMARY KEY (organization_id, loser_id)
);
CREATE INDEX merges_by_survivor ON public.merges USING btree (organization_id, survivor_id);

create table migrations (
  name text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (name)
);

create table organizations (
  id text not null,
  namespace text not null,
  name text not null,
  enabled boolean not null default true,
  created_at timestamp with time zone not null default now(),
  constraint organizations_namespace_key UNIQUE (namespace),
  constraint organizations_pkey PRIMARY KEY (id)
);

create table project_cursors (
  organization_id text not null,
  sequence bigint not null default 0,
  positions jsonb not null default '{}'::jsonb,
  constraint project_cursors_pkey PRIMARY KEY (organization_id)
);

create table rebuilds (
  organization_id text not null,
  phase text not null default 'requested'::text,
  requested_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  kind text not null default 'account'::text,
  after_id text not null default ''::text,
  documents bigint not null default 0,
  until_sequence bigint not null default 0,
  constraint rebuilds_pkey PRIMARY KEY (organization_id),
  constraint rebuilds_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'account'::text]))),
  constraint rebuilds_phase_check CHECK ((phase = ANY (ARRAY['requested'::text, 'documents'::text, 'events'::text, 'done'::text])))
);

create table rejected_entries (
  organization_id text not null,
  id bigint not null generated always as identity,
  connector_id text not null,
  code text not null,
  message text not null,
  entry text not null,
  rejected_at timestamp with time zone not null default now(),
  retried_at timestamp with time zone,
  constraint rejected_entries_pkey PRIMARY KEY (organization_id, id)
);

create table segments (
  organization_id text not null,
  id text not null,
  entity text not null,
  name text not null,
  query jsonb not null,
  predicate jsonb not null,
  changes_with_time boolean not null,
  revision integer not null default 1,
  evaluated_revision integer not null default 0,
  evaluated_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint segments_pkey PRIMARY KEY (organization_id, id),
  constraint segments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint segments_entity_check CHECK ((entity = ANY (ARRAY['user'::text, 'account'::text])))
);

create table sign_ins (
  organization_id text not null,
  user_id text not null,
  sign_in_count integer not null,
  signed_in_at timestamp with time zone not null,
  app_id text not null,
  url text,
  constraint sign_ins_pkey PRIMARY KEY (organization_id, user_id)
);

create table user_identifiers (
  organization_id text not null,
  kind text not null,
  value text not null,
  user_id text not null,
  constraint user_identifiers_pkey PRIMARY KEY (organization_id, kind, value)
);
CREATE INDEX user_identifiers_by_user ON public.user_identifiers USING btree (organization_id, user_id);

create table users (
  organization_id text not null,
  id text not null,
  account_id text,
  state json not null,
  version bigint not null,
  constraint users_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=80);
CREATE INDEX users_by_account ON public.users USING btree (organization_id, account_id) WHERE (account_id IS NOT NULL);
