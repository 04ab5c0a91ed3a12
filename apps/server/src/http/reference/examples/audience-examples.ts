import { COMPUTED_EXAMPLES } from "./computed-examples.js";
import type { Examples } from "./example.js";
import {
  ACCOUNT_REPORT,
  ATTRIBUTE,
  COMMENT,
  ENTITY,
  ERASURE,
  EVENT,
  EVENT_NAME,
  REPORT_KEY,
  USER_REPORT,
} from "./example-records.js";
import { EXAMPLE } from "./example-values.js";
import { PREDICATE, SEGMENT_EXAMPLES } from "./segment-examples.js";

const QUERY = { bool: { must: [{ term: { plan: "pro" } }, { range: { created_at: { gte: "now-30d/d" } } }] } };
const PAGE = { page: 1, per_page: 10 };
const found = (row: object, more: object = {}) => ({
  data: [row],
  pagination: { total: 1, pages: 1, page: 1, per_page: 10 },
  aggregations: {},
  ...more,
});

function searches(plural: string, singular: string, query: object, row: object): Examples {
  const sortName = singular.endsWith("event") ? "sorting" : "sort";
  return {
    [`POST /api/v1/search/${singular}`]: [
      { body: { query, [sortName]: { created_at: "asc" }, raw: true, ...PAGE }, answer: found(row) },
    ],
    [`POST /api/v1/search/${plural}`]: [
      { title: "Everything", body: {}, answer: found(row) },
      {
        title: "A count by day",
        body: {
          query,
          per_page: 0,
          aggs: { days: { date_histogram: { field: "created_at", interval: "day" } } },
        },
        answer: {
          data: [],
          pagination: { total: 1, pages: 0, page: 1, per_page: 0 },
          aggregations: { days: { buckets: [{ key: "2024-05-12T00:00:00.000Z", doc_count: 1 }] } },
        },
      },
    ],
    [`GET /api/v1/search/${plural}`]: [
      {
        parameters: {
          query: JSON.stringify(query),
          sort: '{"created_at":"desc"}',
          include: "id,created_at",
          ...PAGE,
        },
        answer: found({ id: row["id" as keyof typeof row], created_at: "2024-05-12T09:30:00.000Z" }),
      },
    ],
  };
}

function attributes(subject: "user" | "account", name: string): Examples {
  const one = { parameters: { "*": name } };
  const tree = { text: "attributes", children: [{ id: "traits_plan", text: "plan", type: "string" }] };
  return {
    [`GET /api/v1/settings/${subject}_traits`]: [{ answer: [ATTRIBUTE] }],
    [`GET /api/v1/settings/${subject}_traits/{*}`]: [{ ...one, answer: ATTRIBUTE }],
    [`PUT /api/v1/settings/${subject}_traits/{*}`]: [
      { ...one, title: "With a body", body: { track_changes: false }, answer: { ...ATTRIBUTE, track_changes: false } },
      { parameters: { "*": name, visible: true }, title: "With parameters", body: null, answer: ATTRIBUTE },
    ],
    [`PUT /api/v1/settings/${subject}_trait_groups/{group}`]: [
      {
        parameters: { group: "crm" },
        body: { server_only: true },
        answer: { group: "crm", server_only: true },
      },
    ],
    [`GET /api/v1/${subject}s/schema`]: [{ answer: [REPORT_KEY] }],
    [`GET /api/v1/search/${subject}_reports/bootstrap`]: [{ answer: { version: "new", tree: [tree] } }],
    [`GET /api/v1/${subject}s/attributes`]: [
      {
        answer: {
          total: 3,
          position: EXAMPLE.position,
          age_ms: 0,
          attributes: [
            {
              key: subject === "user" ? `traits_${name}` : name,
              name,
              type: "string",
              group: null,
              standard: false,
              visible: true,
              track_changes: true,
              server_only: false,
              label: "Plan",
              description: "What the customer pays for.",
              removing: false,
              source: { connector_id: EXAMPLE.connector, job_id: null },
              count: 2,
              first_seen_at: "2024-05-01T09:30:00.000Z",
              last_seen_at: "2024-05-12T09:30:00.000Z",
            },
          ],
          waiting: [],
        },
      },
    ],
    [`GET /api/v1/charts/${subject}_traits/{*}`]: [
      {
        parameters: { "*": name, size: 5 },
        answer: {
          key: `traits_${name}`,
          type: "string",
          total: 3,
          missing: 1,
          distinct: 2,
          top: [{ value: "pro", count: 2 }],
          histogram: [],
        },
      },
    ],
  };
}

const PURPOSE = {
  name: "marketing",
  description: "News about our products, by e-mail.",
  attribute: "consents/marketing",
  connector_ids: [],
  created_at: "2024-05-12T09:30:00.000Z",
  updated_at: "2024-05-12T09:30:00.000Z",
};

const VIEW = {
  id: EXAMPLE.view,
  name: "Lately active",
  target: "user",
  predicate: PREDICATE,
  search: "",
  columns: [{ key: "email", width: 240 }, { key: "traits_plan" }],
  sort: { email: "asc" },
  created_at: "2024-05-12T09:30:00.000Z",
  updated_at: "2024-05-12T09:30:00.000Z",
};
const SEGMENT_CHART = {
  segment_id: EXAMPLE.usersSegment,
  interval: "day",
  points: [{ at: "2024-05-01T00:00:00.000Z", size: 1, entered: 1, left: 0 }],
};
const SPAN = { from: "2024-05-01T00:00:00Z", to: "2024-05-03T00:00:00Z", interval: "day" };

/** Searches, segments, attributes, charts, entities, comments and erasures. */
export const AUDIENCE_EXAMPLES: Examples = {
  ...searches("user_reports", "user_report", QUERY, USER_REPORT),
  ...searches("account_reports", "account_report", { exists: { field: "domain" } }, ACCOUNT_REPORT),
  ...searches(
    "events",
    "event",
    { has_parent: { parent_type: "user_report", query: { terms: { email: ["ann@example.com"] } } } },
    { ...EVENT, _id: EVENT.id },
  ),
  "POST /api/v1/search/subjects": [
    {
      title: "By an e-mail address",
      body: { text: "ann@example.com" },
      answer: { data: [USER_REPORT], total: 1, query: { terms: { id: [EXAMPLE.user] } } },
    },
    {
      title: "Beginnings of words, with a filter",
      body: { target: "user", text: "an smi", predicate: PREDICATE, sort: { created_at: "asc" }, per_page: 20 },
      answer: { data: [], total: 0, query: { match_all: {} } },
    },
  ],
  ...COMPUTED_EXAMPLES,
  "GET /api/v1/purposes": [{ answer: [PURPOSE] }],
  "PUT /api/v1/purposes/{name}": [
    { parameters: { name: "marketing" }, body: { description: PURPOSE.description }, answer: PURPOSE },
  ],
  "DELETE /api/v1/purposes/{name}": [{ parameters: { name: "surveys" }, answer: { name: "surveys", deleted: true } }],
  "GET /api/v1/views": [{ parameters: { target: "user" }, answer: [VIEW] }],
  "POST /api/v1/views": [{ body: { name: "Lately active", target: "user", predicate: PREDICATE }, answer: VIEW }],
  "PUT /api/v1/views/{id}": [
    {
      parameters: { id: EXAMPLE.view },
      body: { columns: [{ key: "email", width: 240 }, { key: "traits_plan" }], sort: { email: "asc" } },
      answer: VIEW,
    },
  ],
  "DELETE /api/v1/views/{id}": [
    { parameters: { id: EXAMPLE.oldView }, answer: { id: EXAMPLE.oldView, deleted: true } },
  ],
  "GET /api/v1/search/event/bootstrap": [{ answer: [EVENT_NAME] }],
  "GET /api/v1/search/events/bootstrap": [{ answer: [EVENT_NAME] }],
  ...attributes("user", "plan"),
  ...attributes("account", "industry"),
  ...SEGMENT_EXAMPLES,
  "GET /api/v1/charts/events": [
    {
      parameters: { ...SPAN, event: "Ordered" },
      answer: {
        interval: "day",
        series: [
          {
            event: "Ordered",
            total: 1,
            points: [
              { at: "2024-05-01T00:00:00.000Z", count: 1 },
              { at: "2024-05-02T00:00:00.000Z", count: 0 },
            ],
          },
        ],
      },
    },
  ],
  "GET /api/v1/charts/segments": [{ parameters: SPAN, answer: { interval: "day", segments: [SEGMENT_CHART] } }],
  "GET /api/v1/charts/segments/{id}": [{ parameters: { ...SPAN, id: EXAMPLE.usersSegment }, answer: SEGMENT_CHART }],
  "POST /api/v1/{id}/entities": [
    {
      title: "Of the calling connector",
      parameters: { id: "app" },
      body: { uid: "article-3", name: "How it began", tags: ["history"], extra: { pages: 4 } },
      answer: ENTITY,
    },
    { title: "Of the organization", parameters: { id: "org" }, body: { uid: "article-4" }, answer: ENTITY },
  ],
  "GET /api/v1/entities": [
    { parameters: { where: '{"$or":[{"name":"How it began"},{"uid":"article-1"}]}' }, answer: [ENTITY] },
  ],
  "GET /api/v1/{id}/comments": [
    { title: "On a user", parameters: { id: EXAMPLE.user, page: 1, per_page: 10 }, answer: [COMMENT] },
    { title: "On the calling connector", parameters: { id: "app" }, answer: [] },
    { title: "On the organization", parameters: { id: "org" }, answer: [] },
  ],
  "POST /api/v1/{id}/comments": [
    { parameters: { id: EXAMPLE.user }, body: { text: "Called back today." }, answer: COMMENT },
  ],
  "GET /api/v1/erasures": [{ answer: [ERASURE] }],
  "GET /api/v1/erasures/{id}": [{ parameters: { id: EXAMPLE.erasedUser }, answer: ERASURE }],
  "GET /api/v1/{id}/user_report": [{ parameters: { id: EXAMPLE.user }, answer: USER_REPORT }],
  "GET /api/v1/{id}/account_report": [{ parameters: { id: EXAMPLE.account }, answer: ACCOUNT_REPORT }],
};
