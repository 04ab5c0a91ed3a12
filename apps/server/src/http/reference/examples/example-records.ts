import { EXAMPLE } from "./example-values.js";

// Records as answers have them, used by the examples of several operations.

const AT = "2024-05-12T09:30:00.000Z";
const TIMES = { created_at: AT, updated_at: AT };

export const ORGANIZATION = {
  id: EXAMPLE.organization,
  namespace: "acme",
  name: "Acme",
  url: "https://acme.example.com",
  enabled: true,
  join_by_hints: false,
  created_at: AT,
};

export const ACCOUNT_REPORT = {
  id: EXAMPLE.account,
  external_id: null,
  domain: "acme.example",
  name: "Acme",
  description: null,
  picture: null,
  anonymous_ids: [],
  ...TIMES,
  indexed_at: AT,
  segment_ids: [EXAMPLE.accountsSegment],
  industry: "Toys",
};

export const USER_REPORT = {
  id: EXAMPLE.user,
  email: "ann@example.com",
  external_id: "42",
  anonymous_ids: [],
  name: "Ann",
  tags: [],
  unproved_attributes: [],
  ...TIMES,
  indexed_at: AT,
  last_seen_at: AT,
  segment_ids: [EXAMPLE.usersSegment],
  account_id: EXAMPLE.account,
  traits_plan: "pro",
  traits_age: 31,
  account: ACCOUNT_REPORT,
};

export const USER = {
  id: EXAMPLE.user,
  type: "user",
  ...TIMES,
  last_seen_at: AT,
  name: "Ann",
  first_name: null,
  last_name: null,
  username: null,
  description: null,
  email: "ann@example.com",
  contact_email: "ann@example.com",
  phone: null,
  picture: null,
  tags: [],
  extra: { plan: "pro", age: 31 },
  profile: { email: "ann@example.com", name: "Ann" },
  address: {},
  settings: { notifications: {} },
  stats: { actions: { "Viewed page": 1, Ordered: 1 }, liked: 0, sign_in_count: 1 },
  confirmed: true,
  is_admin: false,
  approved: true,
  main_identity: "Shop",
  identities: [
    {
      id: "email:ann@example.com",
      created_at: AT,
      name: "Ann",
      description: null,
      stats: {},
      tags: [],
      picture: null,
      type: "identity",
      provider: "email",
      uid: "ann@example.com",
      email: "ann@example.com",
    },
  ],
  sign_in: { created_at: AT, app_id: EXAMPLE.connector, url: "https://www.example.com/" },
};

export const SIGNED_IN_USER = { ...USER, access_token: EXAMPLE.token };

export const EVENT = {
  id: EXAMPLE.event,
  event: "Ordered",
  event_id: "order-1",
  event_source: "Shop",
  event_type: "track",
  created_at: AT,
  user_id: EXAMPLE.user,
  account_id: EXAMPLE.account,
  anonymous_id: null,
  session_id: null,
  properties: { total: 20 },
  context: { ip: "203.0.113.7" },
};

export const EVENT_NAME = {
  name: "Ordered",
  properties: [{ name: "total", type: "number" }],
  count: 1,
  ...TIMES,
  emitted: false,
};

export const SEGMENT = {
  id: EXAMPLE.usersSegment,
  name: "Pro",
  type: "users_segment",
  query: { term: { plan: "pro" } },
  predicate: {},
  description: "Customers who pay for the pro plan.",
  tags: ["sales"],
  folder: "Customers",
  stats: { users: 1 },
  evaluated: true,
  evaluated_at: TIMES.created_at,
  stale_seconds: 0,
  status: "ok",
  error: null,
  ...TIMES,
};

export const ATTRIBUTE = {
  name: "plan",
  key: "traits_plan",
  type: "string",
  visible: true,
  track_changes: true,
  server_only: false,
  label: "Plan",
  description: "What the customer pays for.",
  group: null,
  source: null,
  first_seen_at: AT,
  last_seen_at: AT,
  count: 2,
};

export const REPORT_KEY = {
  key: "traits_plan",
  type: "string",
  visible: true,
  track_changes: true,
  label: "Plan of the contract",
  configurable: true,
  ...TIMES,
};

export const ENTITY = {
  id: EXAMPLE.entity,
  uid: "article-1",
  name: "How it began",
  description: null,
  picture: null,
  type: "entity",
  url: null,
  tags: ["history"],
  extra: { pages: 4 },
  meta_tags: {},
  app_id: EXAMPLE.connector,
  ...TIMES,
  stats: { actions: {}, likes: 0 },
};

export const COMMENT = {
  id: EXAMPLE.comment,
  object_id: EXAMPLE.user,
  user: null,
  author_name: "Shop",
  text: "Called back today.",
  ...TIMES,
};

export const ERASURE = {
  id: EXAMPLE.erasedUser,
  type: "user",
  status: "complete",
  erased_at: AT,
  cleaned_at: AT,
  removed: { events: 3, memberships: 1 },
  cleaned: { ingest_entries: 4 },
  left: [{ kind: "comment", id: "01a1ebb4b6bc602c390c705f", object_id: EXAMPLE.user, why: "It names the subject." }],
  copies: [{ where: "backups", gone_by: null, note: "Backups are kept by the operator." }],
};

export const MANIFEST = {
  name: "Shop",
  version: "1.0.0",
  tags: ["smart-notifier"],
  settings: [{ name: "color", type: "string", format: "color", default: "#ff6600" }],
  subscriptions: [{ url: "/smart-notifier" }],
  settings_sections: [],
};

export const CONNECTOR = {
  id: EXAMPLE.connector,
  name: "Shop",
  type: "ship",
  manifest: MANIFEST,
  manifest_url: `${EXAMPLE.connectorUrl}/manifest.json`,
  source_url: EXAMPLE.connectorUrl,
  settings: { color: "#ff6600" },
  tags: ["smart-notifier"],
  status: { status: "ok", messages: [], updated_at: AT },
  enabled: true,
  when_disabled: "drop",
  notify_users_of_account: false,
  purposes: [],
  accept_incoming_webhooks: true,
  ...TIMES,
};

export const STATUS = { id: EXAMPLE.connector, name: "Shop", status: "ok", messages: [], updated_at: AT };

export const CREDENTIALS = {
  id: EXAMPLE.connector,
  secret: "keep-it-secret",
  organization: "acme.example.com",
  name: "Shop",
  firehose_url: "https://api.example.com/firehose",
  write_key: "wks_6fK2vQ9dLwX0bT4nRzJ8mYc3hGp7sAeU",
};

export const PLATFORM = {
  id: EXAMPLE.platform,
  type: "platform",
  name: "Site",
  domains: ["www.example.com"],
  settings: {},
  ...TIMES,
};

export const DEPLOYMENT = {
  id: EXAMPLE.deployment,
  type: "deployment",
  settings: { _multi: false, _placement: "top", _selector: "body", title: "Hello" },
  ship: {
    id: EXAMPLE.connector,
    name: "Shop",
    manifest: MANIFEST,
    settings: { color: "#ff6600" },
    resources: [],
    translations: {},
    manifest_url: `${EXAMPLE.connectorUrl}/manifest.json`,
    index: null,
    purposes: [],
  },
  platform: PLATFORM,
  organization: { id: EXAMPLE.organization, namespace: "acme", name: "Acme" },
  ...TIMES,
};

export const JOB = {
  id: EXAMPLE.job,
  type: "extract",
  object: "users",
  status: "scheduled",
  name: "extract of users",
  description: "",
  progress: { processed: 0, total: null, rejected: 0, processed_bytes: 0, total_bytes: null },
  result: null,
  error: null,
  scheduled_at: AT,
  created_at: AT,
  started_at: null,
  finished_at: null,
};
