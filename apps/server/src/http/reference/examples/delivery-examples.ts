import type { Examples } from "./example.js";
import { EXAMPLE } from "./example-values.js";

const AT = "2024-05-12T09:30:00.000Z";
const APP = { parameters: { id: "app" } };
const COUNTS = {
  considered: 120,
  addressed: 90,
  withheld: 0,
  queued: 91,
  calls: 4,
  failed_calls: 1,
  sent: 93,
  delivered: 90,
  skipped: 0,
  unreported: 0,
  retried: 2,
  refused: 0,
  dead: 1,
  lag_ms: 420,
};
const SAMPLE = {
  entity_id: EXAMPLE.user,
  entity_type: "user",
  channel: "user:update",
  url: "/smart-notifier",
  message: { message_id: "test-1", user: { id: EXAMPLE.user, email: "ada@example.com" }, segments: [], events: [] },
  passes_filter: true,
};
const CAUSE = "It answered with status 422.";
const MESSAGE = {
  message_id: EXAMPLE.deadMessage,
  kind: "user",
  entity: { id: EXAMPLE.refusedUser, external_id: "refused-2", traits_plan: "pro" },
  segment_ids: [],
  changes: { is_new: true, attributes: { traits_plan: [null, "pro"] }, segments: { entered: [], left: [] } },
  events: [],
};

/** What happened to the messages of a connector, and what people do with those that could not be delivered. */
export const DELIVERY_EXAMPLES: Examples = {
  "GET /api/v1/{id}/logs/tail": [
    {
      parameters: { id: "app", after: "1715506200000000", level: "info", text: "contacts" },
      answer: {
        lines: [{ at: AT, level: "info", message: "42 contacts sent", data: { contacts: 42 }, summary: "" }],
        cursor: "1715506201000000",
      },
    },
  ],
  "POST /api/v1/{id}/metrics": [
    {
      ...APP,
      body: {
        metrics: [
          { name: "ship.service_api.call", value: 12 },
          { name: "ship.service_api.remaining", value: 4_988 },
        ],
      },
      answer: { counted: 2 },
    },
  ],
  "GET /api/v1/{id}/metrics": [
    {
      parameters: { ...APP.parameters, range: "hour" },
      answer: {
        from: AT,
        to: AT,
        step_ms: 60_000,
        points: [{ at: AT, calls: 12, remaining: 4_988 }],
        total: { calls: 12 },
        last: { at: AT, remaining: 4_988 },
      },
    },
  ],
  "GET /api/v1/{id}/delivery/figures": [
    {
      parameters: { ...APP.parameters, range: "hour" },
      answer: {
        from: AT,
        to: AT,
        step_ms: 60_000,
        points: [{ at: AT, ...COUNTS }],
        total: COUNTS,
        causes: [{ cause: CAUSE, status: 422, calls: 1, messages: 1, last_at: AT }],
      },
    },
  ],
  "GET /api/v1/{id}/delivery/traces": [
    {
      parameters: { id: "app", entity_id: EXAMPLE.user, result: "delivered" },
      answer: [
        {
          sent_at: AT,
          connector_id: EXAMPLE.connector,
          channel: "user:update",
          result: "delivered",
          status: 200,
          duration_ms: 35,
          notification_id: EXAMPLE.notification,
          message_id: EXAMPLE.message,
          reason: "",
          reported: false,
          body: "",
          entity_id: EXAMPLE.user,
        },
      ],
    },
  ],
  "POST /api/v1/{id}/delivery/results": [
    {
      ...APP,
      body: { results: [{ message_id: EXAMPLE.message, result: "refused", status: 400, body: "No such list." }] },
      answer: { settled: 0, ignored: [EXAMPLE.message] },
    },
  ],
  "GET /api/v1/{id}/delivery/sample": [{ parameters: { id: "app", entity_id: EXAMPLE.user }, answer: SAMPLE }],
  "POST /api/v1/{id}/delivery/test": [
    {
      parameters: { id: "app" },
      body: { entity_id: EXAMPLE.user },
      answer: {
        ...SAMPLE,
        notification_id: EXAMPLE.notification,
        result: "delivered",
        reported: false,
        reason: "",
        status: 200,
        body: "",
        answer: { status: 200, body: '{"flow_control":{"type":"next"}}' },
        duration_ms: 35,
      },
    },
  ],
  "GET /api/v1/{id}/delivery/messages/{notification_id}/{message_id}": [
    {
      parameters: { id: "app", notification_id: EXAMPLE.notification, message_id: EXAMPLE.message },
      answer: {
        url: `${EXAMPLE.connectorUrl}/smart-notifier`,
        request: '{"user":{"email":"ann@example.com"}}',
        answer: '{"flow_control":{"type":"next"}}',
      },
    },
  ],
  "GET /api/v1/dead_letters/groups": [
    {
      parameters: { page: 1, per_page: 30 },
      answer: [
        {
          connector_id: EXAMPLE.connector,
          cause: CAUSE,
          letters: 12,
          first_at: AT,
          last_at: AT,
          newest_id: EXAMPLE.deadLetter,
        },
      ],
    },
  ],
  "PUT /api/v1/dead_letters/{id}": [
    {
      parameters: { id: EXAMPLE.deadLetter },
      body: { message: MESSAGE },
      answer: {
        id: EXAMPLE.deadLetter,
        connector_id: EXAMPLE.connector,
        channel: "user:update",
        entity_id: EXAMPLE.refusedUser,
        reason: CAUSE,
        attempts: 2,
        created_at: AT,
        cause: CAUSE,
        edited_by: "operator",
        edited_at: AT,
        url: "/smart-notifier",
        request: {
          url: `${EXAMPLE.connectorUrl}/smart-notifier`,
          notification_id: "0b6f3c1e-6a0e-4d0f-9d36-3b2f7f2f8a11",
          messages: 1,
          sent_at: AT,
        },
        answer: { status: 422, body: "{}" },
        message: MESSAGE,
      },
    },
  ],
};
