create table account_identifiers (
  organization_id text not null,
  kind text not null,
  value text not null,
  account_id text not null,
  half_id text,
  constraint account_identifiers_pkey PRIMARY KEY (organization_id, kind, value)
);

create table account_news (
  organization_id text not null,
  connector_id text not null,
  id bigint not null generated always as identity,
  account_id text not null,
  changes bytea not null,
  due_at timestamp with time zone not null,
  after_user_id text,
  created_at timestamp with time zone not null default now(),
  constraint account_news_pkey PRIMARY KEY (organization_id, connector_id, id),
  constraint account_news_organization_id_connector_id_fkey FOREIGN KEY (organization_id, connector_id) REFERENCES connectors(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX account_news_by_account ON public.account_news USING btree (organization_id, account_id);
CREATE INDEX account_news_by_age ON public.account_news USING btree (created_at);
CREATE INDEX account_news_by_turn ON public.account_news USING btree (organization_id, connector_id, due_at, id);
CREATE UNIQUE INDEX account_news_to_begin ON public.account_news USING btree (organization_id, connector_id, account_id) WHERE (after_user_id IS NULL);

create table account_relinks (
  organization_id text not null,
  from_account text not null,
  to_account text,
  after_user_id text not null default ''::text,
  is_quiet boolean not null,
  id bigint not null generated always as identity,
  created_at timestamp with time zone not null default now(),
  constraint account_relinks_pkey PRIMARY KEY (organization_id, from_account)
);
CREATE INDEX account_relinks_by_survivor ON public.account_relinks USING btree (organization_id, to_account) WHERE (to_account IS NOT NULL);
CREATE INDEX account_relinks_by_turn ON public.account_relinks USING btree (organization_id, id);

create table account_returns (
  organization_id text not null,
  id bigint not null generated always as identity,
  origin text not null,
  to_account text,
  after_user_id text not null default ''::text,
  is_quiet boolean not null default false,
  constraint account_returns_pkey PRIMARY KEY (organization_id, id)
);

create table accounts (
  organization_id text not null,
  id text not null,
  state json not null,
  version bigint not null,
  constraint accounts_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=1, autovacuum_analyze_scale_factor=0.5);

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
  subject_type text not null,
  name text not null,
  type text not null,
  visible boolean not null default true,
  track_changes boolean not null default true,
  source text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  by_end_user boolean not null default false,
  last_seen_at timestamp with time zone,
  server_only boolean,
  label text not null default ''::text,
  description text not null default ''::text,
  removing boolean not null default false,
  computed_by text,
  constraint attributes_came_or_went TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint attributes_changed TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint attribute_definitions_pkey PRIMARY KEY (organization_id, subject_type, name),
  constraint attribute_definitions_subject_type_check CHECK ((subject_type = ANY (ARRAY['user'::text, 'account'::text]))),
  constraint attribute_definitions_type_check CHECK ((type = ANY (ARRAY['string'::text, 'numeric'::text, 'date'::text, 'boolean'::text, 'array'::text, 'json'::text])))
);

create table audit_log (
  organization_id text not null,
  id bigint not null generated always as identity,
  happened_at timestamp with time zone not null default now(),
  member_id text,
  who text not null,
  action text not null,
  object_type text,
  object_id text,
  label text,
  before jsonb,
  after jsonb,
  address text not null,
  constraint audit_log_pkey PRIMARY KEY (organization_id, id),
  constraint audit_log_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX audit_log_by_member ON public.audit_log USING btree (organization_id, member_id, id);
CREATE INDEX audit_log_by_object ON public.audit_log USING btree (organization_id, object_id, id);

create table catalogue (
  organization_id text not null,
  manifest_url text not null,
  source_url text not null,
  manifest jsonb not null,
  updated_at timestamp with time zone not null default now(),
  constraint catalogue_pkey PRIMARY KEY (organization_id, manifest_url),
  constraint catalogue_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table change_heads (
  organization_id text not null,
  sequence bigint not null default 0,
  constraint change_heads_pkey PRIMARY KEY (organization_id)
);

create table change_writers (
  organization_id text not null,
  writer text not null,
  sequence bigint not null,
  written_at timestamp with time zone not null default now(),
  constraint change_writers_pkey PRIMARY KEY (organization_id, writer, sequence)
);

create table changes (
  organization_id text not null,
  sequence bigint not null,
  lane "char" not null,
  "position" bigint not null,
  payload bytea not null,
  is_evaluation boolean not null default false,
  created_at timestamp with time zone not null default now(),
  constraint changes_pkey PRIMARY KEY (organization_id, sequence)
);
CREATE INDEX changes_by_evaluation ON public.changes USING btree (organization_id, sequence) WHERE is_evaluation;

create table comments (
  organization_id text not null,
  id text not null,
  object_id text not null,
  author_id text,
  body text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  author_name text,
  constraint comments_pkey PRIMARY KEY (organization_id, id),
  constraint comments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX comments_by_author ON public.comments USING btree (organization_id, author_id) WHERE (author_id IS NOT NULL);
CREATE INDEX comments_by_object ON public.comments USING btree (organization_id, object_id, id);

create table computed_attributes (
  organization_id text not null,
  id text not null,
  subject_type text not null,
  name text not null,
  description text not null default ''::text,
  compute jsonb not null,
  type text not null,
  moves_with_time boolean not null,
  revision integer not null default 1,
  filled_revision integer not null default 0,
  fill_after text default ''::text,
  fill_until bigint,
  processed bigint not null default 0,
  total bigint not null default 0,
  problem text,
  problem_since timestamp with time zone,
  looked_at timestamp with time zone,
  computed_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint computed_attributes_came_or_went TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint computed_attributes_changed TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint computed_attributes_pkey PRIMARY KEY (organization_id, id),
  constraint computed_attributes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint computed_attributes_subject_type_check CHECK ((subject_type = ANY (ARRAY['user'::text, 'account'::text])))
);
CREATE UNIQUE INDEX computed_attributes_name ON public.computed_attributes USING btree (organization_id, subject_type, name);

create table connector_logs (
  at timestamp with time zone not null,
  written_at timestamp with time zone not null default now(),
  organization_id text not null,
  connector_id text not null,
  level text not null,
  message text not null,
  data json not null,
  summary text not null
) partition by RANGE (written_at);
CREATE INDEX connector_logs_by_connector ON ONLY public.connector_logs USING btree (connector_id, at);
CREATE INDEX connector_logs_by_writing ON ONLY public.connector_logs USING btree (connector_id, written_at);

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
  when_disabled text not null default 'drop'::text,
  notify_users_of_account boolean not null default false,
  purposes text[] not null default '{}'::text[],
  constraint connectors_pkey PRIMARY KEY (organization_id, id),
  constraint connectors_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint connectors_status_check CHECK ((status = ANY (ARRAY['ok'::text, 'warning'::text, 'error'::text, 'setupRequired'::text]))),
  constraint connectors_when_disabled_check CHECK ((when_disabled = ANY (ARRAY['drop'::text, 'hold'::text])))
);
CREATE UNIQUE INDEX connectors_by_id ON public.connectors USING btree (id);

create table dead_letter_counts (
  organization_id text not null,
  connector_id text not null,
  cause text not null,
  letters bigint not null,
  constraint dead_letter_counts_pkey PRIMARY KEY (organization_id, connector_id, cause),
  constraint dead_letter_counts_organization_id_connector_id_fkey FOREIGN KEY (organization_id, connector_id) REFERENCES connectors(organization_id, id) ON DELETE CASCADE
) with (fillfactor=50);

create table dead_letters (
  organization_id text not null,
  id bigint not null generated always as identity,
  connector_id text not null,
  url text not null,
  channel text not null,
  kind text not null,
  object_id text not null,
  message bytea not null,
  request jsonb not null,
  answer jsonb,
  reason text not null,
  attempts integer not null,
  created_at timestamp with time zone not null default now(),
  cause text not null default ''::text,
  edited_by text,
  edited_at timestamp with time zone,
  constraint dead_letters_pkey PRIMARY KEY (organization_id, id),
  constraint dead_letters_organization_id_connector_id_fkey FOREIGN KEY (organization_id, connector_id) REFERENCES connectors(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX dead_letters_by_age ON public.dead_letters USING btree (created_at);
CREATE INDEX dead_letters_by_cause ON public.dead_letters USING btree (organization_id, connector_id, cause, id);
CREATE INDEX dead_letters_by_connector ON public.dead_letters USING btree (organization_id, connector_id, id);
CREATE INDEX dead_letters_by_object ON public.dead_letters USING btree (organization_id, object_id);

create table deleted_segments (
  organization_id text not null,
  id text not null,
  subject_type text not null,
  name text not null,
  constraint deleted_segments_pkey PRIMARY KEY (organization_id, id),
  constraint deleted_segments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table delivery_causes (
  organization_id text not null,
  connector_id text not null,
  hour timestamp with time zone not null,
  cause text not null,
  status smallint not null,
  calls bigint not null,
  messages bigint not null,
  last_at timestamp with time zone not null,
  constraint delivery_causes_pkey PRIMARY KEY (organization_id, connector_id, hour, cause),
  constraint delivery_causes_organization_id_connector_id_fkey FOREIGN KEY (organization_id, connector_id) REFERENCES connectors(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX delivery_causes_by_age ON public.delivery_causes USING btree (hour);

create table delivery_minutes (
  organization_id text not null,
  connector_id text not null,
  minute timestamp with time zone not null,
  considered bigint not null default 0,
  addressed bigint not null default 0,
  queued bigint not null default 0,
  calls bigint not null default 0,
  failed_calls bigint not null default 0,
  sent bigint not null default 0,
  delivered bigint not null default 0,
  retried bigint not null default 0,
  dead bigint not null default 0,
  lag_ms bigint not null default 0,
  skipped bigint not null default 0,
  unreported bigint not null default 0,
  refused bigint not null default 0,
  withheld bigint not null default 0,
  constraint delivery_minutes_pkey PRIMARY KEY (organization_id, connector_id, minute),
  constraint delivery_minutes_organization_id_connector_id_fkey FOREIGN KEY (organization_id, connector_id) REFERENCES connectors(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX delivery_minutes_by_age ON public.delivery_minutes USING btree (minute);

create table delivery_states (
  organization_id text not null,
  connector_id text not null,
  state jsonb not null,
  sent_messages bigint not null default 0,
  failed_calls bigint not null default 0,
  dead_messages bigint not null default 0,
  last_sent_at timestamp with time zone,
  last_failed_at timestamp with time zone,
  constraint delivery_states_pkey PRIMARY KEY (organization_id, connector_id),
  constraint delivery_states_organization_id_connector_id_fkey FOREIGN KEY (organization_id, connector_id) REFERENCES connectors(organization_id, id) ON DELETE CASCADE
);

create table deployments (
  organization_id text not null,
  id text not null,
  platform_id text not null,
  connector_id text not null,
  settings jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint deployments_pkey PRIMARY KEY (organization_id, id),
  constraint deployments_organization_id_connector_id_fkey FOREIGN KEY (organization_id, connector_id) REFERENCES connectors(organization_id, id) ON DELETE CASCADE,
  constraint deployments_organization_id_platform_id_fkey FOREIGN KEY (organization_id, platform_id) REFERENCES platforms(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX deployments_by_connector ON public.deployments USING btree (organization_id, connector_id);
CREATE INDEX deployments_by_platform ON public.deployments USING btree (organization_id, platform_id);

create table do_not_merge (
  organization_id text not null,
  id text not null,
  subject_type text not null,
  one_id text not null,
  other_id text not null,
  created_at timestamp with time zone not null default now(),
  constraint do_not_merge_organization_id_one_id_other_id_key UNIQUE (organization_id, one_id, other_id),
  constraint do_not_merge_pkey PRIMARY KEY (organization_id, id),
  constraint do_not_merge_subject_type_check CHECK ((subject_type = ANY (ARRAY['user'::text, 'account'::text])))
);
CREATE INDEX do_not_merge_by_other ON public.do_not_merge USING btree (organization_id, other_id);
CREATE INDEX do_not_merge_by_time ON public.do_not_merge USING btree (organization_id, created_at);

create table end_user_event_keys (
  organization_id text not null,
  user_id text not null,
  event_digest text not null,
  id text not null,
  event text not null,
  created_at bigint not null,
  recorded_at bigint not null,
  account_id text,
  constraint end_user_event_keys_pkey PRIMARY KEY (organization_id, user_id, event_digest)
);

create table entities (
  organization_id text not null,
  id text not null,
  app_id text not null,
  uid text not null,
  document jsonb not null default '{}'::jsonb,
  fetch_at timestamp with time zone,
  fetch_attempts integer not null default 0,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint entities_pkey PRIMARY KEY (organization_id, id),
  constraint entities_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX entities_by_uid ON public.entities USING btree (organization_id, uid, app_id);
CREATE INDEX entities_by_value ON public.entities USING gin (document jsonb_path_ops);
CREATE INDEX entities_to_fetch ON public.entities USING btree (fetch_at) WHERE (fetch_at IS NOT NULL);

create table erased (
  organization_id text not null,
  id text not null,
  erased_at timestamp with time zone not null default now(),
  cleaned_at timestamp with time zone,
  identifiers text[] not null default '{}'::text[],
  sequence bigint not null default 0,
  constraint erased_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX erased_by_cleaning ON public.erased USING btree (cleaned_at) WHERE (cleaned_at IS NOT NULL);
CREATE INDEX erased_to_clean ON public.erased USING btree (organization_id) WHERE (cleaned_at IS NULL);

create table erased_identifiers (
  organization_id text not null,
  hash bytea not null,
  recorded_at bigint not null,
  received_at bigint not null,
  constraint erased_identifiers_pkey PRIMARY KEY (organization_id, hash)
);
CREATE INDEX erased_identifiers_by_time ON public.erased_identifiers USING btree (organization_id, GREATEST(recorded_at, received_at));

create table erasure_leftovers (
  organization_id text not null,
  lane "char" not null,
  "position" bigint not null,
  constraint erasure_leftovers_pkey PRIMARY KEY (organization_id, lane, "position")
);

create table erasure_passes (
  organization_id text not null,
  started_at timestamp with time zone not null default now(),
  step text not null,
  after bigint not null default 0,
  until_sequence bigint not null default 0,
  counts jsonb not null default '{}'::jsonb,
  constraint erasure_passes_pkey PRIMARY KEY (organization_id)
);

create table erasures (
  organization_id text not null,
  id text not null,
  subject_type text not null,
  erased_at timestamp with time zone not null default now(),
  removed jsonb not null,
  cleaned_at timestamp with time zone,
  cleaned jsonb,
  left_mentions jsonb not null default '[]'::jsonb,
  constraint erasures_pkey PRIMARY KEY (organization_id, id),
  constraint erasures_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint erasures_subject_type_check CHECK ((subject_type = ANY (ARRAY['user'::text, 'account'::text])))
);
CREATE INDEX erasures_by_left_mention ON public.erasures USING gin (left_mentions jsonb_path_ops) WHERE (left_mentions <> '[]'::jsonb);
CREATE INDEX erasures_by_time ON public.erasures USING btree (organization_id, erased_at);

create table event_definitions (
  organization_id text not null,
  name text not null,
  properties jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  by_end_user boolean not null default false,
  constraint events_changed TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint event_definitions_pkey PRIMARY KEY (organization_id, name)
);

create table event_keys (
  organization_id text not null,
  event_id text not null,
  recorded_at bigint not null,
  event text not null,
  created_at bigint not null,
  user_id text not null,
  account_id text,
  constraint event_keys_pkey PRIMARY KEY (organization_id, event_id)
);

create table event_plan_problems (
  organization_id text not null,
  name text not null,
  property text not null,
  problem text not null,
  found text not null,
  count bigint not null,
  refused bigint not null,
  first_at timestamp with time zone not null default now(),
  last_at timestamp with time zone not null default now(),
  constraint event_plan_problems_pkey PRIMARY KEY (organization_id, name, property, problem),
  constraint event_plan_problems_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint event_plan_problems_problem_check CHECK ((problem = ANY (ARRAY['unknown'::text, 'wrong_type'::text, 'missing'::text])))
);

create table event_plans (
  organization_id text not null,
  name text not null,
  description text not null default ''::text,
  owner text not null default ''::text,
  properties jsonb,
  refuses boolean not null default false,
  hidden boolean not null default false,
  merged_into text,
  updated_at timestamp with time zone not null default now(),
  keeps_sent_names boolean not null default false,
  constraint event_plans_changed TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint event_plans_pkey PRIMARY KEY (organization_id, name),
  constraint event_plans_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table former_identifiers (
  organization_id text not null,
  owner_id text not null,
  kind text not null,
  value text not null,
  constraint former_identifiers_pkey PRIMARY KEY (organization_id, owner_id, kind, value)
);

create table held_calls (
  is_held boolean not null default true,
  backup_of timestamp with time zone not null,
  since timestamp with time zone not null default now(),
  constraint held_calls_pkey PRIMARY KEY (is_held),
  constraint held_calls_is_held_check CHECK (is_held)
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
  positions jsonb not null,
  answer text not null,
  received_at timestamp with time zone not null,
  parts jsonb,
  constraint ingest_receipts_pkey PRIMARY KEY (organization_id, digest)
);
CREATE INDEX ingest_receipts_by_age ON public.ingest_receipts USING btree (received_at);

create table intake_figures (
  organization_id text not null,
  at timestamp with time zone not null,
  entries bigint not null,
  constraint intake_figures_pkey PRIMARY KEY (organization_id, at)
) with (fillfactor=50);
CREATE INDEX intake_figures_by_age ON public.intake_figures USING btree (at);

create table invitations (
  organization_id text not null,
  id text not null,
  email text not null,
  role text not null,
  token_hash bytea not null,
  invited_by text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint invitations_token_hash_key UNIQUE (token_hash),
  constraint invitations_pkey PRIMARY KEY (organization_id, id),
  constraint invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'editor'::text, 'viewer'::text])))
);
CREATE UNIQUE INDEX invitations_by_email ON public.invitations USING btree (organization_id, lower(email));

create table job_rejections (
  organization_id text not null,
  job_id text not null,
  line bigint not null,
  code text not null,
  message text not null,
  constraint job_rejections_pkey PRIMARY KEY (organization_id, job_id, line),
  constraint job_rejections_organization_id_job_id_fkey FOREIGN KEY (organization_id, job_id) REFERENCES jobs(organization_id, id) ON DELETE CASCADE
);

create table jobs (
  organization_id text not null,
  id text not null,
  type text not null,
  object text not null,
  status text not null default 'scheduled'::text,
  name text not null,
  description text not null default ''::text,
  connector_id text not null,
  parameters jsonb not null,
  due_at timestamp with time zone not null default now(),
  lease_holder text,
  leased_until timestamp with time zone,
  attempts integer not null default 0,
  checkpoint jsonb not null default '{}'::jsonb,
  processed bigint not null default 0,
  total bigint,
  rejected bigint not null default 0,
  processed_bytes bigint not null default 0,
  total_bytes bigint,
  result jsonb,
  error text,
  file_bytes bigint,
  file_expires_at timestamp with time zone,
  callback_due_at timestamp with time zone,
  callback_attempts integer not null default 0,
  callback_error text,
  called_back_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  sealed_url bytea,
  constraint jobs_pkey PRIMARY KEY (organization_id, id),
  constraint jobs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint jobs_object_check CHECK ((object = ANY (ARRAY['users'::text, 'accounts'::text, 'events'::text]))),
  constraint jobs_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'running'::text, 'completed'::text, 'failed'::text, 'canceled'::text]))),
  constraint jobs_type_check CHECK ((type = ANY (ARRAY['import'::text, 'extract'::text, 'export'::text, 'rewrite'::text, 'revert'::text])))
);
CREATE INDEX jobs_by_end ON public.jobs USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX jobs_to_call_back ON public.jobs USING btree (callback_due_at) WHERE (callback_due_at IS NOT NULL);
CREATE INDEX jobs_to_run ON public.jobs USING btree (due_at) WHERE (status = ANY (ARRAY['scheduled'::text, 'running'::text]));
CREATE INDEX jobs_with_files ON public.jobs USING btree (file_expires_at) WHERE (file_expires_at IS NOT NULL);

create table kept_messages (
  at timestamp with time zone not null default now(),
  organization_id text not null,
  connector_id text not null,
  notification_id text not null,
  message_id text not null,
  url text not null,
  request text not null,
  answer text not null
);
CREATE INDEX kept_messages_by_age ON public.kept_messages USING btree (at);
CREATE INDEX kept_messages_by_call ON public.kept_messages USING btree (organization_id, notification_id, message_id);

create table lag_figures (
  organization_id text not null,
  stage text not null,
  at timestamp with time zone not null,
  bucket smallint not null,
  records bigint not null,
  constraint lag_figures_pkey PRIMARY KEY (organization_id, stage, at, bucket),
  constraint lag_figures_stage_check CHECK ((stage = ANY (ARRAY['apply'::text, 'search'::text, 'delivery'::text])))
) with (fillfactor=50);
CREATE INDEX lag_figures_by_age ON public.lag_figures USING btree (at);

create table lease_holders (
  id text not null,
  place text not null,
  roles text[] not null,
  host text not null,
  version text not null,
  started_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint lease_holders_pkey PRIMARY KEY (id)
) with (fillfactor=50);

create table log_heads (
  organization_id text not null,
  lane "char" not null,
  "position" bigint not null default 0,
  entries bigint not null default 0,
  is_elsewhere boolean not null default false,
  behind_since timestamp with time zone,
  constraint log_heads_pkey PRIMARY KEY (organization_id, lane)
);

create table log_placements (
  organization_id text not null,
  number integer not null,
  kind text not null,
  stream text,
  stream_created text,
  base bigint not null default 0,
  after_sequence bigint not null default 0,
  closing_at timestamp with time zone,
  until jsonb,
  closing_to text,
  constraint log_placements_pkey PRIMARY KEY (organization_id, number),
  constraint log_placements_closing_to_check CHECK ((closing_to = ANY (ARRAY['postgres'::text, 'nats'::text]))),
  constraint log_placements_kind_check CHECK ((kind = ANY (ARRAY['postgres'::text, 'nats'::text])))
);

create table log_streams (
  name text not null,
  created text not null,
  known_sequence bigint not null default 0,
  truncated_at timestamp with time zone,
  found_sequence bigint,
  constraint log_streams_pkey PRIMARY KEY (name, created)
);

create table member_roles (
  organization_id text not null,
  member_id text not null,
  role text not null,
  created_at timestamp with time zone not null default now(),
  constraint member_roles_pkey PRIMARY KEY (organization_id, member_id),
  constraint member_roles_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint member_roles_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint member_roles_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'editor'::text, 'viewer'::text])))
);
CREATE INDEX member_roles_by_member ON public.member_roles USING btree (member_id);

create table member_sessions (
  id text not null,
  member_id text not null,
  token_hash bytea not null,
  user_agent text not null,
  address text not null,
  created_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint member_sessions_token_hash_key UNIQUE (token_hash),
  constraint member_sessions_pkey PRIMARY KEY (id),
  constraint member_sessions_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE
);
CREATE INDEX member_sessions_by_member ON public.member_sessions USING btree (member_id);

create table members (
  id text not null,
  email text not null,
  name text not null,
  password_hash text,
  is_operator boolean not null default false,
  email_proved_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  last_signed_in_at timestamp with time zone,
  constraint members_pkey PRIMARY KEY (id)
);
CREATE INDEX members_by_email ON public.members USING btree (lower(email));
CREATE UNIQUE INDEX members_by_proved_email ON public.members USING btree (lower(email)) WHERE ((email_proved_at IS NOT NULL) OR is_operator);

create table merge_halves (
  organization_id text not null,
  id text not null,
  subject_id text not null,
  merged_into text,
  merged_as bigint not null default 0,
  state json not null,
  undecided json,
  constraint merge_halves_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX merge_halves_by_subject ON public.merge_halves USING btree (organization_id, subject_id);

create table merges (
  organization_id text not null,
  loser_id text not null,
  survivor_id text not null,
  loser_state json not null,
  survivor_state json not null,
  merged_at timestamp with time zone not null default now(),
  cause json,
  constraint merges_pkey PRIMARY KEY (organization_id, loser_id)
);
CREATE INDEX merges_by_survivor ON public.merges USING btree (organization_id, survivor_id);

create table message_batches (
  organization_id text not null,
  id bigint not null generated always as identity,
  is_export boolean not null,
  payload bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint message_batches_pkey PRIMARY KEY (organization_id, id),
  constraint message_batches_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=200);

create table migrations (
  name text not null,
  applied_at timestamp with time zone not null default now(),
  checksum text,
  constraint migrations_pkey PRIMARY KEY (name)
);

create table new_name_counts (
  organization_id text not null,
  day timestamp with time zone not null,
  counter text not null,
  names integer not null,
  constraint new_name_counts_pkey PRIMARY KEY (organization_id, day, counter),
  constraint new_name_counts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX new_name_counts_by_day ON public.new_name_counts USING btree (day);

create table notify_cursors (
  organization_id text not null,
  sequence bigint not null default 0,
  ahead bigint[] not null default '{}'::bigint[],
  constraint notify_cursors_pkey PRIMARY KEY (organization_id),
  constraint notify_cursors_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table object_counts (
  organization_id text not null,
  kind text not null,
  count bigint not null,
  constraint object_counts_pkey PRIMARY KEY (organization_id, kind),
  constraint object_counts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint object_counts_kind_check CHECK ((kind = ANY (ARRAY['entity'::text, 'comment'::text])))
);

create table organizations (
  id text not null,
  namespace text not null,
  name text not null,
  enabled boolean not null default true,
  created_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  attributes_revision uuid not null default gen_random_uuid(),
  events_revision uuid not null default gen_random_uuid(),
  segments_revision uuid not null default gen_random_uuid(),
  join_by_hints boolean not null default false,
  event_plans_revision uuid not null default gen_random_uuid(),
  computed_revision uuid,
  constraint organizations_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX organizations_by_namespace ON public.organizations USING btree (namespace) WHERE (deleted_at IS NULL);

create table outbox (
  organization_id text not null,
  connector_id text not null,
  "position" bigint not null generated always as identity,
  batch_id bigint not null,
  url text not null,
  channel text not null,
  chosen integer[] not null,
  sent integer not null default 0,
  created_at timestamp with time zone not null default now(),
  tries jsonb not null default '{}'::jsonb,
  constraint outbox_pkey PRIMARY KEY (organization_id, connector_id, "position"),
  constraint outbox_organization_id_connector_id_fkey FOREIGN KEY (organization_id, connector_id) REFERENCES connectors(organization_id, id) ON DELETE CASCADE
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000);
CREATE INDEX outbox_by_age ON public.outbox USING btree (created_at);
CREATE INDEX outbox_by_batch ON public.outbox USING btree (organization_id, batch_id);

create table platforms (
  organization_id text not null,
  id text not null,
  name text not null,
  domains text[] not null default '{}'::text[],
  settings jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  last_record_at timestamp with time zone,
  constraint platforms_pkey PRIMARY KEY (organization_id, id),
  constraint platforms_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table project_cursors (
  organization_id text not null,
  sequence bigint not null default 0,
  positions jsonb not null default '{}'::jsonb,
  generation text not null default (gen_random_uuid())::text,
  computed_until bigint not null default 0,
  constraint project_cursors_pkey PRIMARY KEY (organization_id)
);

create table purposes (
  organization_id text not null,
  name text not null,
  description text not null default ''::text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint purposes_pkey PRIMARY KEY (organization_id, name),
  constraint purposes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);

create table queue_sizes (
  organization_id text not null,
  connector_id text not null,
  messages bigint not null,
  constraint queue_sizes_pkey PRIMARY KEY (organization_id, connector_id),
  constraint queue_sizes_organization_id_connector_id_fkey FOREIGN KEY (organization_id, connector_id) REFERENCES connectors(organization_id, id) ON DELETE CASCADE
) with (fillfactor=50);

create table rebuilds (
  organization_id text not null,
  requested_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  constraint rebuilds_pkey PRIMARY KEY (organization_id)
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
  job_id text,
  line bigint,
  reason text not null default ''::text,
  constraint rejected_entries_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX rejected_entries_by_age ON public.rejected_entries USING btree (rejected_at);
CREATE INDEX rejected_entries_by_job ON public.rejected_entries USING btree (organization_id, job_id, line) WHERE (job_id IS NOT NULL);
CREATE INDEX rejected_entries_by_reason ON public.rejected_entries USING btree (organization_id, code, reason, id);
CREATE INDEX rejected_entries_waiting ON public.rejected_entries USING btree (organization_id) WHERE (retried_at IS NULL);

create table saved_insights (
  organization_id text not null,
  id bigint not null generated always as identity,
  name text not null,
  question jsonb not null,
  home_place integer,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint saved_insights_pkey PRIMARY KEY (organization_id, id),
  constraint saved_insights_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX saved_insights_name ON public.saved_insights USING btree (organization_id, lower(btrim(name)));

create table schedule_runs (
  organization_id text not null,
  connector_id text not null,
  kind text not null,
  url text not null,
  timing text not null,
  due_at timestamp with time zone not null,
  last_run_at timestamp with time zone,
  last_result text,
  last_duration_ms integer,
  constraint schedule_runs_pkey PRIMARY KEY (organization_id, connector_id, kind, url),
  constraint schedule_runs_organization_id_connector_id_fkey FOREIGN KEY (organization_id, connector_id) REFERENCES connectors(organization_id, id) ON DELETE CASCADE,
  constraint schedule_runs_kind_check CHECK ((kind = ANY (ARRAY['schedule'::text, 'status'::text])))
);

create table segment_versions (
  organization_id text not null,
  segment_id text not null,
  number integer not null,
  name text not null,
  query jsonb not null,
  predicate jsonb not null,
  who text,
  restored integer,
  saved_at timestamp with time zone not null default now(),
  constraint segment_versions_pkey PRIMARY KEY (organization_id, segment_id, number),
  constraint segment_versions_organization_id_segment_id_fkey FOREIGN KEY (organization_id, segment_id) REFERENCES segments(organization_id, id) ON DELETE CASCADE
);

create table segments (
  organization_id text not null,
  id text not null,
  subject_type text not null,
  name text not null,
  query jsonb not null,
  predicate jsonb not null,
  changes_with_time boolean not null,
  revision integer not null default 1,
  evaluated_revision integer not null default 0,
  evaluated_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  problem text,
  problem_since timestamp with time zone,
  scan_requested_at timestamp with time zone,
  shares_name boolean not null default false,
  description text not null default ''::text,
  tags text[] not null default '{}'::text[],
  folder text not null default ''::text,
  constraint segments_came_or_went TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint segments_changed TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint segments_pkey PRIMARY KEY (organization_id, id),
  constraint segments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint segments_subject_type_check CHECK ((subject_type = ANY (ARRAY['user'::text, 'account'::text])))
);
CREATE UNIQUE INDEX segments_name ON public.segments USING btree (organization_id, lower(btrim(name))) WHERE (NOT shares_name);

create table service_calls (
  organization_id text not null,
  connector_id text not null,
  minute timestamp with time zone not null,
  calls bigint not null default 0,
  remaining bigint,
  constraint service_calls_pkey PRIMARY KEY (organization_id, connector_id, minute),
  constraint service_calls_organization_id_connector_id_fkey FOREIGN KEY (organization_id, connector_id) REFERENCES connectors(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX service_calls_by_age ON public.service_calls USING btree (minute);

create table sign_in_links (
  token_hash bytea not null,
  member_id text not null,
  is_mailed boolean not null,
  expires_at timestamp with time zone not null,
  email text,
  constraint sign_in_links_pkey PRIMARY KEY (token_hash),
  constraint sign_in_links_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE
);

create table sign_ins (
  organization_id text not null,
  user_id text not null,
  sign_in_count integer not null,
  signed_in_at timestamp with time zone not null,
  app_id text not null,
  url text,
  first_signed_in_at timestamp with time zone,
  constraint sign_ins_pkey PRIMARY KEY (organization_id, user_id, app_id)
);

create table signing_keys (
  id text not null,
  public_key text not null,
  sealed_private_key bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint signing_keys_pkey PRIMARY KEY (id)
);

create table stage_problems (
  organization_id text not null,
  stage text not null,
  message text not null,
  since timestamp with time zone not null default now(),
  constraint stage_problems_pkey PRIMARY KEY (organization_id, stage)
);

create table status_history (
  organization_id text not null,
  connector_id text not null,
  id bigint not null generated always as identity,
  status text not null,
  messages text[] not null,
  source text not null,
  created_at timestamp with time zone not null default now(),
  constraint status_history_pkey PRIMARY KEY (organization_id, connector_id, id),
  constraint status_history_organization_id_connector_id_fkey FOREIGN KEY (organization_id, connector_id) REFERENCES connectors(organization_id, id) ON DELETE CASCADE,
  constraint status_history_source_check CHECK ((source = ANY (ARRAY['install'::text, 'connector'::text, 'poll'::text, 'operator'::text])))
);
CREATE INDEX status_history_by_age ON public.status_history USING btree (created_at);

create table traces (
  sent_at timestamp with time zone not null,
  written_at timestamp with time zone not null default now(),
  duration_ms integer not null,
  status smallint not null,
  notification_id uuid not null,
  organization_id text not null,
  object_id text not null,
  connector_id text not null,
  channel text not null,
  result text not null,
  message_id text not null,
  reason text not null,
  is_reported boolean not null default false,
  body text not null default ''::text
) partition by RANGE (written_at);
CREATE INDEX traces_by_connector ON ONLY public.traces USING btree (connector_id, sent_at);
CREATE INDEX traces_by_object ON ONLY public.traces USING btree (object_id);
CREATE INDEX traces_by_open_message ON ONLY public.traces USING btree (connector_id, message_id) WHERE (result = ANY (ARRAY['retried'::text, 'unreported'::text]));

create table undone_merges (
  organization_id text not null,
  id bigint not null generated always as identity,
  loser_id text not null,
  survivor_id text not null,
  loser_state json not null,
  merged_at timestamp with time zone not null,
  undone_at timestamp with time zone not null default now(),
  cause json,
  constraint undone_merges_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX undone_merges_by_loser ON public.undone_merges USING btree (organization_id, loser_id);
CREATE INDEX undone_merges_by_survivor ON public.undone_merges USING btree (organization_id, survivor_id);

create table used_carried_ids (
  organization_id text not null,
  digest bytea not null,
  expires_at timestamp with time zone not null,
  constraint used_carried_ids_pkey PRIMARY KEY (organization_id, digest),
  constraint used_carried_ids_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX used_carried_ids_expires_at_idx ON public.used_carried_ids USING btree (expires_at);

create table user_identifiers (
  organization_id text not null,
  kind text not null,
  value text not null,
  user_id text not null,
  half_id text,
  constraint user_identifiers_pkey PRIMARY KEY (organization_id, kind, value)
);

create table user_marks (
  organization_id text not null,
  user_id text not null,
  is_admin boolean not null,
  approved boolean not null,
  notifications jsonb not null,
  constraint user_marks_pkey PRIMARY KEY (organization_id, user_id)
);

create table users (
  organization_id text not null,
  id text not null,
  account_id text,
  state json not null,
  version bigint not null,
  account_origin text,
  constraint users_pkey PRIMARY KEY (organization_id, id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=1, autovacuum_analyze_scale_factor=0.5);
CREATE INDEX users_by_account_and_id ON public.users USING btree (organization_id, account_id, id) WHERE (account_id IS NOT NULL);
CREATE INDEX users_by_account_origin ON public.users USING btree (organization_id, account_origin, id) WHERE (account_origin IS NOT NULL);

create table views (
  organization_id text not null,
  id bigint not null generated always as identity,
  name text not null,
  target text not null,
  predicate jsonb not null,
  search text not null,
  columns jsonb not null,
  sort jsonb not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint views_pkey PRIMARY KEY (organization_id, id),
  constraint views_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint views_target_check CHECK ((target = ANY (ARRAY['user'::text, 'account'::text])))
);

create table waiting_names (
  organization_id text not null,
  kind text not null,
  name text not null,
  type text not null,
  senders text[] not null,
  first_at timestamp with time zone not null default now(),
  last_at timestamp with time zone not null default now(),
  constraint waiting_names_pkey PRIMARY KEY (organization_id, kind, name),
  constraint waiting_names_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint waiting_names_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'account'::text, 'event'::text])))
);
CREATE INDEX waiting_names_by_age ON public.waiting_names USING btree (last_at);

create table work_claims (
  organization_id text not null,
  work text not null,
  token text not null,
  holder text,
  constraint work_claims_pkey PRIMARY KEY (organization_id, work)
);

create table write_keys (
  organization_id text not null,
  connector_id text not null,
  id bigint not null generated always as identity,
  kind text not null,
  name text not null,
  domains text[] not null default '{}'::text[],
  apps text[] not null default '{}'::text[],
  trusts_identify boolean not null default false,
  sealed_key bytea,
  key_hash bytea,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  constraint write_keys_pkey PRIMARY KEY (organization_id, connector_id, id),
  constraint write_keys_organization_id_connector_id_fkey FOREIGN KEY (organization_id, connector_id) REFERENCES connectors(organization_id, id) ON DELETE CASCADE,
  constraint write_keys_check CHECK (((sealed_key IS NULL) = (key_hash IS NULL))),
  constraint write_keys_kind_check CHECK ((kind = ANY (ARRAY['server'::text, 'page'::text])))
);
CREATE UNIQUE INDEX write_keys_by_hash ON public.write_keys USING btree (key_hash);
