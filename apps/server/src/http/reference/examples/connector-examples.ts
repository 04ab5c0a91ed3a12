import type { Examples } from "./example.js";
import { CONNECTOR, CREDENTIALS, DEPLOYMENT, JOB, MANIFEST, PLATFORM, STATUS } from "./example-records.js";
import { EXAMPLE } from "./example-values.js";

const AT = "2024-05-12T09:30:00.000Z";
const APP = { parameters: { id: "app" } };
const DELIVERY = {
  connector_id: EXAMPLE.connector,
  queued_messages: 0,
  lag_ms: 0,
  circuit: "closed",
  next_call_at: null,
  pause_reason: null,
  batch_size: 100,
  failures: 0,
  last_error: null,
  sent_messages: 12,
  failed_calls: 0,
  dead_messages: 0,
  dead_letters: 0,
  last_sent_at: AT,
  last_failed_at: null,
};
const LETTER = {
  id: EXAMPLE.deadLetter,
  connector_id: EXAMPLE.connector,
  channel: "user:update",
  entity_id: EXAMPLE.user,
  reason: "It answered with status 422.",
  attempts: 2,
  created_at: AT,
  cause: "It answered with status 422.",
  edited_by: null,
  edited_at: null,
};

const WRITE_KEY = {
  id: EXAMPLE.writeKey,
  kind: "page",
  name: "Shop",
  domains: ["shop.example.com"],
  apps: [],
  trust_identify: false,
  key: "wkp_A1cT5rWq8ZkN0yUe3xHs7LbV2mGj9oPd",
  created_at: AT,
  last_used_at: null,
};
const OF_WRITE_KEY = { id: EXAMPLE.connector, key_id: EXAMPLE.writeKey };

const DESTINATION_INSTALLATION = {
  state: "installed",
  version: "3.497.0",
  destinations: 214,
  is_current: true,
  step: null,
  problem: null,
  refusal: null,
  command: "npx muster destinations start",
};

/** Connectors, their deliveries, platforms and the catalogue. */
export const CONNECTOR_EXAMPLES: Examples = {
  "GET /api/v1/connectors": [{ parameters: { page: 1, per_page: 30 }, answer: [CONNECTOR] }],
  "POST /api/v1/connectors": [{ body: { name: "Shop" }, answer: CREDENTIALS }],
  "POST /api/v1/connectors/install": [
    { body: { url: EXAMPLE.connectorUrl }, answer: { ...CREDENTIALS, problems: [] } },
  ],
  "POST /api/v1/{id}/refresh": [
    { parameters: { id: EXAMPLE.connector }, answer: { connector: CONNECTOR, problems: [] } },
  ],
  "POST /api/v1/{id}/secret": [{ parameters: { id: EXAMPLE.otherConnector }, answer: CREDENTIALS }],
  "GET /api/v1/{id}/write_keys": [{ ...APP, answer: [WRITE_KEY] }],
  "POST /api/v1/{id}/write_keys": [
    {
      title: "For the pages of a website",
      parameters: { id: EXAMPLE.connector },
      body: { kind: "page", name: "Shop", domains: ["shop.example.com"] },
      answer: WRITE_KEY,
    },
    {
      title: "For a server",
      parameters: { id: EXAMPLE.connector },
      body: { kind: "server", name: "Billing" },
      answer: { ...WRITE_KEY, kind: "server", name: "Billing", domains: [], key: CREDENTIALS.write_key },
    },
  ],
  "PUT /api/v1/{id}/write_keys/{key_id}": [
    {
      parameters: OF_WRITE_KEY,
      body: { domains: ["shop.example.com"], apps: ["com.example.shop"] },
      answer: { ...WRITE_KEY, apps: ["com.example.shop"] },
    },
  ],
  "POST /api/v1/{id}/write_keys/{key_id}/roll": [{ parameters: OF_WRITE_KEY, answer: WRITE_KEY }],
  "DELETE /api/v1/{id}/write_keys/{key_id}": [
    {
      parameters: { id: EXAMPLE.connector, key_id: EXAMPLE.oldWriteKey },
      answer: { id: EXAMPLE.oldWriteKey, deleted: true },
    },
  ],
  "GET /api/v1/catalogue": [
    {
      answer: [
        {
          manifest_url: `${EXAMPLE.connectorUrl}/manifest.json`,
          source_url: EXAMPLE.connectorUrl,
          name: "Shop",
          version: "1.0.0",
          description: null,
          picture: null,
          image: null,
          tags: ["smart-notifier"],
          categories: [],
          bundled: false,
          updated_at: AT,
        },
      ],
    },
  ],
  "GET /api/v1/catalogue/manifest": [
    {
      parameters: { manifest_url: `${EXAMPLE.connectorUrl}/manifest.json` },
      answer: {
        manifest_url: `${EXAMPLE.connectorUrl}/manifest.json`,
        source_url: EXAMPLE.connectorUrl,
        manifest: MANIFEST,
        problems: [],
        readme: "# Shop\n\nSends orders.",
      },
    },
  ],
  "GET /api/v1/catalogue/image": [
    {
      parameters: { manifest_url: `${EXAMPLE.connectorUrl}/manifest.json`, src: "picture.png" },
      answer: { image: null },
    },
  ],
  "GET /api/v1/catalogue/destinations": [{ answer: DESTINATION_INSTALLATION }],
  "POST /api/v1/catalogue/destinations": [
    {
      answer: {
        ...DESTINATION_INSTALLATION,
        state: "installing",
        step: "Fetching the package from npm's registry: 107 MB",
      },
    },
  ],
  "POST /api/v1/catalogue": [
    {
      body: { url: EXAMPLE.connectorUrl },
      answer: { manifest_url: `${EXAMPLE.connectorUrl}/manifest.json`, manifest: MANIFEST, problems: [] },
    },
  ],
  "DELETE /api/v1/catalogue": [
    {
      parameters: { manifest_url: EXAMPLE.otherManifestUrl },
      answer: { manifest_url: EXAMPLE.otherManifestUrl, deleted: true },
    },
  ],
  "POST /api/v1/{id}/logs": [
    {
      ...APP,
      title: "A list of lines",
      body: { logs: [{ level: "info", message: "42 contacts sent", data: { contacts: 42 } }] },
      answer: { logged: 1 },
    },
    {
      ...APP,
      title: "An error for people",
      body: { level: "error", message: "401", hull_summary: "The API key is not valid any more." },
      answer: { logged: 1 },
    },
  ],
  "GET /api/v1/{id}/logs": [
    {
      parameters: { id: "app", level: "info", summaries: false },
      answer: [{ at: AT, level: "info", message: "42 contacts sent", data: { contacts: 42 }, summary: "" }],
    },
  ],
  "GET /api/v1/{id}/pages": [
    {
      ...APP,
      answer: [
        {
          kind: "tab",
          title: "Overview",
          url: `${EXAMPLE.connectorUrl}/overview?organization=acme&id=${EXAMPLE.connector}&secret=…`,
          size: null,
          editable: false,
          setup: false,
          workspace: false,
        },
      ],
    },
  ],
  "POST /api/v1/{id}/call": [
    { ...APP, body: { path: "/fields" }, answer: { options: [{ value: "email", label: "Email" }] } },
  ],
  "POST /api/v1/{id}/options": [
    {
      ...APP,
      body: { path: "/lists", search: "news", private_settings: { api_key: "k-1" } },
      answer: { options: [{ value: "l1", label: "Newsletter", group: null }] },
    },
  ],
  "GET /api/v1/{id}/readme": [{ ...APP, answer: { readme: "# Shop\n\nSends orders." } }],
  "GET /api/v1/{id}/image": [{ parameters: { id: "app", src: "picture.png" }, answer: { image: null } }],
  "POST /api/v1/{id}/frames": [
    {
      parameters: { id: EXAMPLE.connector },
      body: { path: "/overview" },
      answer: { url: `/api/v1/frames/${EXAMPLE.ticket}` },
    },
  ],
  "GET /api/v1/frames/{ticket}": [{ parameters: { ticket: EXAMPLE.ticket } }],
  "GET /api/v1/{id}/schedules": [
    {
      ...APP,
      answer: [
        {
          kind: "schedule",
          url: "/sync",
          timing: "interval 600",
          due_at: AT,
          last_run_at: null,
          last_result: null,
          last_duration_ms: null,
        },
      ],
    },
  ],
  "GET /api/v1/status": [{ answer: { jobs: [JOB], connectors: [STATUS], problems: [] } }],
  "GET /api/v1/{id}/status": [{ ...APP, answer: STATUS }],
  "PUT /api/v1/{id}/status": [
    { ...APP, body: { status: "warning", messages: ["The quota is nearly used."] }, answer: STATUS },
  ],
  "GET /api/v1/{id}/status/history": [
    { ...APP, answer: [{ status: "ok", messages: [], source: "connector", created_at: AT }] },
  ],
  "GET /api/v1/deliveries": [{ answer: [DELIVERY] }],
  "GET /api/v1/{id}/delivery": [{ ...APP, answer: DELIVERY }],
  "GET /api/v1/{id}/traces": [
    {
      parameters: { id: EXAMPLE.user },
      answer: [
        {
          sent_at: AT,
          connector_id: EXAMPLE.connector,
          channel: "user:update",
          result: "delivered",
          status: 200,
          duration_ms: 35,
          notification_id: "0b6f3c1e-6a0e-4d0f-9d36-3b2f7f2f8a11",
          message_id: "1-2",
          reason: "",
          reported: false,
          body: "",
        },
      ],
    },
  ],
  "GET /api/v1/dead_letters": [{ parameters: { channel: "user:update", reason: "422" }, answer: [LETTER] }],
  "GET /api/v1/dead_letters/{id}": [
    {
      parameters: { id: EXAMPLE.deadLetter },
      answer: {
        ...LETTER,
        url: "/smart-notifier",
        request: {
          url: `${EXAMPLE.connectorUrl}/smart-notifier`,
          notification_id: "0b6f3c1e-6a0e-4d0f-9d36-3b2f7f2f8a11",
          messages: 1,
          sent_at: AT,
        },
        answer: { status: 422, body: "{}" },
        message: { message_id: "1-2", kind: "user" },
      },
    },
  ],
  "POST /api/v1/dead_letters/retry": [
    { title: "Some", body: { ids: [EXAMPLE.deadLetter] }, answer: { retried: 1 } },
    { title: "All that match", body: { channel: "account:update" }, answer: { retried: 0 } },
  ],
  "POST /api/v1/dead_letters/discard": [{ body: { reason: "status 422" }, answer: { discarded: 1 } }],
  "POST /api/v1/keys": [{ answer: { id: EXAMPLE.key, url: `https://api.example.com/keys/${EXAMPLE.key}` } }],
  "GET /keys/{id}": [{ parameters: { id: EXAMPLE.key } }],
  "POST /keys/{id}": [{ parameters: { id: EXAMPLE.key } }],
  "GET /api/v1/platforms": [{ answer: [{ ...PLATFORM, last_record_at: "2024-05-12T09:30:00.000Z" }] }],
  "POST /api/v1/platforms": [{ body: { name: "Site", domains: ["www.example.com"] }, answer: PLATFORM }],
  "GET /api/v1/{id}/deployments": [{ as: "nobody", parameters: { id: EXAMPLE.platform }, answer: [DEPLOYMENT] }],
  "POST /api/v1/{id}/deployments": [
    {
      parameters: { id: EXAMPLE.platform },
      body: { connector_id: EXAMPLE.connector, settings: { title: "Hello", _placement: "top" } },
      answer: DEPLOYMENT,
    },
  ],
};
