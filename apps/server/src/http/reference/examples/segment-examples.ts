import type { Example, Examples } from "./example.js";
import { SEGMENT, USER_REPORT } from "./example-records.js";
import { EXAMPLE } from "./example-values.js";

export const PREDICATE = {
  type: "all",
  predicates: [{ property: { key: "created_at", type: "date" }, operator: "in_last", options: { value: "30d" } }],
};

/** A name belongs to one segment of an organization, be it of users or of accounts. */
const newSegments = (of: string): Example[] => [
  {
    title: "From a query",
    body: { name: `Pro ${of}`, query: { term: { name: "Ann" } }, predicate: {} },
    answer: { ...SEGMENT, warnings: [] },
  },
  {
    title: "From a predicate",
    body: { name: `Lately active ${of}`, query: {}, predicate: PREDICATE },
    answer: { ...SEGMENT, warnings: [] },
  },
];
const DRAFT = { query: { term: { plan: "pro" } } };
const SEGMENT_USE = {
  segment_id: EXAMPLE.usersSegment,
  connectors: [
    {
      id: EXAMPLE.connector,
      name: "Shop",
      enabled: true,
      settings: [{ path: "private_settings.synchronized_segments", title: "Segments to send" }],
    },
  ],
  segments: [],
};

/** Segments: what they are, what they would be, and what became of them. */
export const SEGMENT_EXAMPLES: Examples = {
  "GET /api/v1/users_segments": [{ answer: [SEGMENT] }],
  "GET /api/v1/accounts_segments": [{ parameters: { page: 1, per_page: 2 }, answer: [SEGMENT] }],
  "GET /api/v1/segments": [{ answer: [SEGMENT] }],
  "POST /api/v1/users_segments": newSegments("users"),
  "POST /api/v1/accounts_segments": newSegments("accounts"),
  "POST /api/v1/segments/count": [{ body: DRAFT, answer: { count: 1, total: 12, took_ms: 4.2 } }],
  "POST /api/v1/segments/clauses": [
    { body: DRAFT, answer: { total: 12, clauses: [{ path: "predicate.predicates.0", count: 1 }] } },
  ],
  "POST /api/v1/segments/overlap": [
    {
      body: { segment_ids: [EXAMPLE.usersSegment, EXAMPLE.otherSegment] },
      answer: {
        total: 12,
        segments: [
          { id: EXAMPLE.usersSegment, name: "Pro", type: "users_segment", count: 3 },
          { id: EXAMPLE.otherSegment, name: "Lately active", type: "users_segment", count: 5 },
        ],
        regions: [
          { segment_ids: [EXAMPLE.usersSegment], count: 1 },
          { segment_ids: [EXAMPLE.otherSegment], count: 3 },
          { segment_ids: [EXAMPLE.usersSegment, EXAMPLE.otherSegment], count: 2 },
        ],
      },
    },
  ],
  "GET /api/v1/{id}/moves": [
    {
      parameters: { id: EXAMPLE.usersSegment },
      answer: {
        data: [{ action: "entered", at: "2024-05-12T09:30:00.000Z", subject: { id: EXAMPLE.user, name: "Ada" } }],
        next: null,
      },
    },
  ],
  "GET /api/v1/{id}/as_of": [
    {
      parameters: { id: EXAMPLE.usersSegment, at: "2024-05-12T09:30:00.000Z" },
      answer: {
        at: "2024-05-12T09:30:00.000Z",
        version: 1,
        before: 1,
        now: 2,
        entered: 1,
        left: 0,
        data: [{ id: EXAMPLE.user, name: "Ada" }],
        next: null,
      },
    },
  ],
  "GET /api/v1/{id}/versions": [
    {
      parameters: { id: EXAMPLE.usersSegment },
      answer: [
        {
          number: 1,
          name: "Pro",
          query: { term: { plan: "pro" } },
          predicate: {},
          sentence: 'plan is "pro"',
          changes: { renamed_from: null, added: [], removed: [] },
          who: "Ada <ada@example.com>",
          restored: null,
          saved_at: "2024-05-12T09:30:00.000Z",
        },
      ],
    },
  ],
  "POST /api/v1/{id}/versions/{number}/restore": [
    { parameters: { id: EXAMPLE.usersSegment, number: 1 }, answer: SEGMENT },
  ],
  "POST /api/v1/segments/convert": [
    {
      title: "A query",
      body: { query: { term: { plan: "pro" } } },
      answer: {
        query: { term: { plan: "pro" } },
        predicate: {
          type: "all",
          predicates: [
            {
              property: { key: "plan", type: "string", entity: "user" },
              operator: "equals",
              options: { value: "pro" },
            },
          ],
        },
        sentence: 'plan is "pro"',
        warnings: [],
      },
    },
    {
      title: "A query that a builder cannot show",
      body: { query: { regexp: { name: "A.*" } } },
      answer: { query: { regexp: { name: "A.*" } }, predicate: null, sentence: "name fits /A.*/", warnings: [] },
    },
    {
      title: "A query about an attribute that nobody has",
      body: { query: { exists: { field: "paln" } } },
      answer: {
        query: { exists: { field: "paln" } },
        predicate: {
          type: "all",
          predicates: [{ property: { key: "paln", type: "string", entity: "user" }, operator: "is_set", options: {} }],
        },
        sentence: "paln is set",
        warnings: [
          {
            path: "query.exists",
            attribute: "paln",
            suggestion: "plan",
            message: 'No user has an attribute "paln" so far. Did you mean plan?',
          },
        ],
      },
    },
  ],
  "POST /api/v1/segments/impact": [
    {
      body: { ...DRAFT, segment_id: EXAMPLE.usersSegment },
      answer: {
        total: 12,
        size_before: 3,
        size_after: 1,
        entering: 0,
        leaving: 2,
        share: 0.167,
        connectors: [{ id: EXAMPLE.connector, name: "Shop", enabled: true, messages: 2 }],
      },
    },
  ],
  "GET /api/v1/segments/uses": [{ answer: [SEGMENT_USE] }],
  "GET /api/v1/{id}/uses": [{ parameters: { id: EXAMPLE.usersSegment }, answer: SEGMENT_USE }],
  "POST /api/v1/segments/preview": [
    {
      body: { query: { term: { plan: "pro" } }, segment_id: EXAMPLE.usersSegment },
      answer: {
        count: 1,
        sample: [USER_REPORT],
        entering: { count: 0, sample: [] },
        leaving: { count: 0, sample: [] },
        warnings: [],
      },
    },
  ],
  "GET /api/v1/{id}/segments": [
    {
      title: "Of a user, for a connector",
      as: "connector",
      parameters: { id: EXAMPLE.user },
      answer: [{ ...SEGMENT, entered_at: "2024-05-12T09:30:00.000Z" }],
    },
    { title: "Of the user of a token", as: "user", parameters: { id: "me" } },
  ],
  "GET /api/v1/{id}/segments/{segment_id}/explain": [
    {
      parameters: { id: EXAMPLE.user, segment_id: EXAMPLE.usersSegment },
      answer: {
        matches: true,
        clauses: [{ path: "query.term.plan", sentence: "plan is pro", negated: false, holds: true, seen: "pro" }],
      },
    },
  ],
};
