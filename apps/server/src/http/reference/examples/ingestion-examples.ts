import type { Brand } from "@muster/protocol";
import type { Example, Examples } from "./example.js";
import { EXAMPLE } from "./example-values.js";

const AT = "2024-05-12T09:30:00.000Z";
const POSITION = { position: EXAMPLE.position };
const TRACK: Example = {
  body: {
    event: "Viewed page",
    properties: { path: "/pricing" },
    url: "https://www.example.com/pricing",
    referer: null,
  },
};
const TRAITS: Example[] = [
  { title: "Several attributes", body: { plan: "pro", visits: { operation: "inc", value: 1 } }, answer: POSITION },
  { title: "One attribute", body: { name: "plan", value: "pro" }, answer: POSITION },
];

const CALLED = { success: true, ...POSITION, accepted: 1, rejected: [] };
const BATCH: Example = {
  body: {
    batch: [
      { type: "identify", userId: "u-42", traits: { email: "ada@example.com", plan: "trial" } },
      { type: "track", userId: "u-42", event: "Ordered", properties: { total: 120 }, messageId: "order-120" },
    ],
    sentAt: AT,
  },
  answer: { ...CALLED, accepted: 2 },
};
const CALL_EXAMPLES: Examples = {
  "POST /v1/identify": [
    { body: { userId: "u-42", traits: { email: "ada@example.com", plan: "trial" } }, answer: CALLED },
  ],
  "POST /v1/track": [{ body: { userId: "u-42", event: "Ordered", properties: { total: 120 } }, answer: CALLED }],
  "POST /v1/page": [
    { body: { anonymousId: "a-1", name: "Pricing", properties: { path: "/pricing" } }, answer: CALLED },
  ],
  "POST /v1/screen": [{ body: { anonymousId: "a-1", name: "Home" }, answer: CALLED }],
  "POST /v1/group": [{ body: { userId: "u-42", groupId: "g-7", traits: { name: "Example Ltd" } }, answer: CALLED }],
  "POST /v1/alias": [{ body: { userId: "u-42", previousId: "a-0" }, answer: CALLED }],
  "POST /v1/batch": [BATCH],
  "POST /v1/import": [BATCH],
  "GET /v1/projects/{key}/settings": [{ parameters: { key: EXAMPLE.pageKey } }],
};

/** Batches, and entries of one user. */
export function ingestionExamples({ headers }: Brand): Examples {
  const entry = (type: string, body: object, token: string = EXAMPLE.token) => ({
    type,
    timestamp: AT,
    headers: { [headers.accessToken]: token },
    body,
  });
  return {
    ...CALL_EXAMPLES,
    "POST /firehose": [
      {
        title: "Entries of each type",
        headers: { "Idempotency-Key": "2024-05-12-1" },
        body: {
          timestamp: AT,
          sentAt: AT,
          batch: [
            entry("traits", { plan: "pro", "crm/stage": "lead" }),
            entry("track", { event: "Ordered", properties: { total: 20 }, ip: null, event_id: "order-1" }),
            entry("alias", { anonymous_id: "browser-1" }),
            entry("unalias", { anonymous_id: "browser-1" }),
          ],
        },
        answer: { ...POSITION, accepted: 4, rejected: [], duplicate: false },
      },
      {
        title: "An entry that is refused",
        body: { timestamp: AT, sentAt: AT, batch: [entry("traits", { plan: "team" }), entry("traits", {}, "a.b.c")] },
        answer: {
          ...POSITION,
          accepted: 1,
          rejected: [{ index: 1, code: "invalid_token", message: "The token is not a JSON Web Token." }],
          duplicate: false,
        },
      },
    ],
    "POST /api/v1/t": [TRACK],
    "POST /api/v1/me/track": [{ ...TRACK, answer: POSITION }],
    "PUT /api/v1/me/traits": TRAITS,
    "POST /api/v1/me/traits": TRAITS,
    "POST /api/v1/me/alias": [{ body: { anonymous_id: "browser-2" }, answer: POSITION }],
    "DELETE /api/v1/me/alias": [
      { title: "With a body", body: { anonymous_id: "browser-2" }, answer: POSITION },
      { title: "With a parameter", parameters: { anonymous_id: "browser-3" }, answer: POSITION },
    ],
    "GET /api/v1/ingestion/recent": [
      {
        parameters: { type: "track", after: 0 },
        answer: {
          entries: [
            {
              id: 1_715_506_200_000_007,
              number: 1_715_506_200_000_001,
              at: AT,
              outcome: "refused",
              source: "connector",
              connector_id: EXAMPLE.connector,
              type: "track",
              event: null,
              code: "invalid_parameter",
              message: "A track entry needs the name of its event.",
              recorded_at: null,
              user: null,
              account: null,
              body: { properties: { total: 20 } },
              shortened: false,
            },
          ],
          after: 1_715_506_200_000_001,
          missed: 0,
          since: AT,
        },
      },
    ],
    "GET /api/v1/ingestion/rejected": [
      {
        parameters: { page: 1, per_page: 10 },
        answer: [
          {
            id: EXAMPLE.rejectedEntry,
            connector_id: EXAMPLE.connector,
            code: "invalid_attribute",
            message: 'The attribute "age" was refused: the attribute\'s type is numeric, and a string was given.',
            reason: 'The attribute "age" was refused: the attribute\'s type is numeric, and a string was given.',
            entry: { type: "traits", subject: "user", user: { email: "ann@example.com" }, body: { age: "old" } },
            rejected_at: AT,
            retried_at: null,
          },
        ],
      },
    ],
    "GET /api/v1/ingestion/rejected/reasons": [
      {
        parameters: { retried: false },
        answer: [
          {
            code: "not_found",
            reason: 'Nobody is known by external_id "…".',
            count: 12,
            waiting: 12,
            connector_ids: [EXAMPLE.connector],
            first_at: AT,
            last_at: AT,
          },
        ],
      },
    ],
    "POST /api/v1/ingestion/rejected/retry": [
      { title: "Some", body: { ids: [EXAMPLE.rejectedEntry] }, answer: { retried: 1, ...POSITION } },
      { title: "All that match", body: { code: "invalid_attribute" }, answer: { retried: 12, ...POSITION } },
    ],
    "POST /api/v1/ingestion/rejected/{id}/retry": [
      {
        parameters: { id: EXAMPLE.rejectedEntry },
        body: { body: { age: 31 } },
        answer: { retried: 1, ...POSITION },
      },
    ],
    "POST /api/v1/ingestion/rejected/discard": [{ body: { code: "not_found" }, answer: { discarded: 12 } }],
  };
}
