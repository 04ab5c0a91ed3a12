import type { Examples } from "./example.js";
import { EXAMPLE } from "./example-values.js";

const FUNNEL = {
  steps: [{ event: "Signed up" }, { event: "Ordered" }],
  within: "14d",
  from: "2024-05-01",
  to: "2024-06-01",
};

const SAVED = {
  id: EXAMPLE.insight,
  name: "From sign-up to order",
  question: { funnel: { ...FUNNEL, time_zone: "UTC", limit: 10 } },
  home_place: 0,
  created_at: "2024-05-01T00:00:00.000Z",
  updated_at: "2024-05-01T00:00:00.000Z",
};

/** Trends, funnels and retention. */
export const INSIGHT_EXAMPLES: Examples = {
  "POST /api/v1/insights/trend": [
    {
      body: {
        series: [{ event: "Ordered", measure: "sum", property: "properties.total" }],
        from: "2024-05-01",
        to: "2024-05-03",
        breakdown: "user.plan",
      },
      answer: {
        interval: "day",
        from: "2024-05-01T00:00:00.000Z",
        to: "2024-05-03T00:00:00.000Z",
        series: [
          {
            series: 0,
            breakdown: "pro",
            points: [
              { at: "2024-05-01T00:00:00.000Z", value: 20 },
              { at: "2024-05-02T00:00:00.000Z", value: 0 },
            ],
          },
        ],
      },
    },
  ],
  "POST /api/v1/insights/funnel": [
    {
      body: {
        steps: [{ event: "Signed up" }, { event: "Ordered", where: { range: { "properties.total": { gte: 10 } } } }],
        within: "14d",
        from: "2024-05-01",
        to: "2024-06-01",
      },
      answer: {
        from: "2024-05-01T00:00:00.000Z",
        to: "2024-06-01T00:00:00.000Z",
        groups: [
          {
            breakdown: null,
            steps: [
              { users: 200, of_first: 1, of_before: 1 },
              { users: 50, of_first: 0.25, of_before: 0.25 },
            ],
          },
        ],
      },
    },
  ],
  "POST /api/v1/insights/retention": [
    {
      body: { start: { event: "Signed up" }, return: {}, interval: "week", from: "2024-05-06", to: "2024-05-20" },
      answer: {
        interval: "week",
        from: "2024-05-06T00:00:00.000Z",
        to: "2024-05-20T00:00:00.000Z",
        cohorts: [
          { at: "2024-05-06T00:00:00.000Z", users: 200, returned: [120, 80] },
          { at: "2024-05-13T00:00:00.000Z", users: 180, returned: [100] },
        ],
      },
    },
  ],
  "POST /api/v1/insights/users": [
    {
      title: "Those who signed up and did not order",
      body: { question: { funnel: FUNNEL }, number: { step: 0, dropped: true }, per_page: 2 },
      answer: { users: [], next: null },
    },
  ],
  "POST /api/v1/insights/segment": [
    {
      body: {
        name: "Ordered lately",
        question: { trend: { series: [{ event: "Ordered" }], from: "2000-01-01" } },
      },
    },
  ],
  "POST /api/v1/insights/csv": [{ body: { funnel: FUNNEL } }],
  "GET /api/v1/insights": [{ answer: [SAVED] }],
  "POST /api/v1/insights": [{ body: { name: "From sign-up to order", question: { funnel: FUNNEL } }, answer: SAVED }],
  "PUT /api/v1/insights/{id}": [
    { parameters: { id: EXAMPLE.insight }, body: { name: "Sign-up to order" }, answer: SAVED },
  ],
  "DELETE /api/v1/insights/{id}": [
    { parameters: { id: EXAMPLE.oldInsight }, answer: { id: EXAMPLE.oldInsight, deleted: true } },
  ],
  "PUT /api/v1/insights/home": [{ body: { ids: [EXAMPLE.insight] }, answer: [SAVED] }],
};
