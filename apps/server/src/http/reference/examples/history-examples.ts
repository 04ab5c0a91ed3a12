import type { Examples } from "./example.js";
import { EXAMPLE } from "./example-values.js";

const AT = "2024-05-12T09:30:00.000Z";
const WRITER = { connector_id: EXAMPLE.connector, connector_name: "Shop", job_id: null };

/** The history of one user or account. */
export const HISTORY_EXAMPLES: Examples = {
  "PUT /api/v1/{id}/attributes": [
    {
      parameters: { id: EXAMPLE.user },
      body: { attributes: { first_name: "Ann" } },
      answer: { position: "l42" },
    },
  ],
  "GET /api/v1/{id}/attributes": [
    {
      parameters: { id: EXAMPLE.user },
      answer: {
        attributes: [
          {
            name: "plan",
            key: "traits_plan",
            type: "string",
            group: null,
            value: "pro",
            proved: true,
            set_at: AT,
            set_by: WRITER,
            changed_at: AT,
            tracked: true,
            computed: false,
            previous: [{ value: "free", until: AT, replaced_by: WRITER }],
          },
        ],
      },
    },
  ],
  "GET /api/v1/{id}/timeline": [
    {
      title: "The latest events",
      parameters: { id: EXAMPLE.user, kinds: "event", per_page: 1 },
      answer: {
        items: [
          {
            id: EXAMPLE.event,
            at: AT,
            kind: "event",
            event: "Ordered",
            source: "shop",
            type: "track",
            user_id: EXAMPLE.user,
            session_id: null,
            anonymous_id: null,
            properties: { total: 20 },
            context: {},
          },
        ],
        next: "eyJldmVudHMiOlsxNzE1NTA2MjAwMDAwLCIwMThmNmQyYjRjMDAxMmExYjIwMDAwMDEiXX0",
      },
    },
    {
      title: "Everything since a time",
      parameters: { id: EXAMPLE.user, after: "2024-05-12T09:00:00Z" },
      answer: {
        items: [
          {
            id: "0190b1b2-0d5d-4d54-a7f1-1c9a2f9d3c11:170-1",
            at: AT,
            kind: "delivery",
            connector_id: EXAMPLE.connector,
            connector_name: "Shop",
            channel: "user:update",
            result: "delivered",
            status: 200,
            duration_ms: 12,
            reason: "",
            reported: false,
            body: "",
            notification_id: "0190b1b2-0d5d-4d54-a7f1-1c9a2f9d3c11",
            message_id: "170-1",
          },
          {
            id: EXAMPLE.comment,
            at: AT,
            kind: "comment",
            text: "Called back today.",
            user_id: null,
            author_name: "Shop",
          },
        ],
        next: null,
      },
    },
  ],
  "GET /api/v1/{id}/identity": [
    {
      parameters: { id: EXAMPLE.user },
      answer: {
        id: EXAMPLE.user,
        type: "user",
        identifiers: { external_id: ["42"], email: ["ann@example.com"], anonymous_id: ["browser-7"] },
        probably_same: [],
        merges: [],
      },
    },
  ],
  "POST /api/v1/{id}/alias": [
    { parameters: { id: EXAMPLE.user }, body: { anonymous_id: "browser-7" }, answer: { position: EXAMPLE.position } },
  ],
  "POST /api/v1/{id}/unalias": [
    { parameters: { id: EXAMPLE.user }, body: { anonymous_id: "browser-7" }, answer: { position: EXAMPLE.position } },
  ],
  "GET /api/v1/{id}/merges": [
    {
      parameters: { id: EXAMPLE.mergedInto },
      answer: {
        id: EXAMPLE.mergedInto,
        type: "user",
        merges: [
          {
            merged_at: AT,
            merged_id: EXAMPLE.mergedUser,
            merged_identifiers: { anonymous_id: ["kiosk"] },
            cause: { identifier: "anonymous_id", value: "kiosk", recorded_at: AT, written_by: WRITER },
            merged_into: null,
            can_undo: true,
            why_not: "",
          },
        ],
        undone: [],
      },
    },
  ],
  "POST /api/v1/{id}/unmerge": [
    {
      title: "What it would do",
      parameters: { id: EXAMPLE.mergedInto },
      body: { merged_id: EXAMPLE.mergedUser, dry_run: true },
      answer: {
        dry_run: true,
        survivor: {
          id: EXAMPLE.mergedInto,
          identifiers: { email: ["mia@example.com"] },
          attributes: [{ name: "email", value: "mia@example.com", set_at: AT, set_by: WRITER }],
          events: 0,
          account: null,
          created_at: AT,
          last_seen_at: null,
          segments: [],
        },
        split_off: {
          id: EXAMPLE.mergedUser,
          identifiers: { anonymous_id: ["kiosk"] },
          attributes: [],
          events: 0,
          account: null,
          created_at: AT,
          last_seen_at: null,
          segments: [],
        },
        undecided: { attributes: [], identifiers: [], account: false, events: 0 },
        connectors: [{ id: EXAMPLE.connector, name: "Shop" }],
      },
    },
    {
      title: "Undo it",
      parameters: { id: EXAMPLE.mergedInto },
      body: { merged_id: EXAMPLE.mergedUser },
      answer: { position: EXAMPLE.position, id: EXAMPLE.mergedInto, unmerged_id: EXAMPLE.mergedUser },
    },
  ],
  "GET /api/v1/do_not_merge": [
    {
      answer: [{ id: EXAMPLE.decision, type: "user", subject_ids: [EXAMPLE.keptUser, EXAMPLE.user], created_at: AT }],
    },
  ],
  "DELETE /api/v1/do_not_merge/{id}": [
    { parameters: { id: EXAMPLE.decision }, answer: { id: EXAMPLE.decision, deleted: true } },
  ],
  "POST /api/v1/{id}/send": [
    { parameters: { id: EXAMPLE.user }, body: { connector_id: "app" }, answer: { queued: true } },
  ],
};
