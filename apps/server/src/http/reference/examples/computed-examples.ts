import type { Examples } from "./example.js";
import { EXAMPLE } from "./example-values.js";

const COMPUTED = {
  id: EXAMPLE.computedAttribute,
  target: "user",
  name: "orders_1",
  description: "",
  compute: { count: { event: "Ordered" } },
  type: "numeric",
  status: "ok",
  error: null,
  progress: null,
  created_at: "2024-05-12T09:30:00.000Z",
  updated_at: "2024-05-12T09:30:00.000Z",
  computed_at: "2024-05-12T09:30:01.000Z",
};
const SPENT = { sum: { event: "Ordered", property: "total", within: "30d" } };

/** Attributes that Muster computes. */
export const COMPUTED_EXAMPLES: Examples = {
  "GET /api/v1/computed_attributes": [{ parameters: { target: "user" }, answer: [COMPUTED] }],
  "POST /api/v1/computed_attributes": [
    {
      title: "What users spent in the last 30 days",
      body: { target: "user", name: "spent_in_30_days", description: "In euros.", compute: SPENT },
      answer: { ...COMPUTED, name: "spent_in_30_days", description: "In euros.", compute: SPENT, status: "computing" },
    },
    {
      title: "How many users of an account are on the plan pro",
      body: {
        target: "account",
        name: "pro_users",
        compute: { over_users: { count: { where: { term: { plan: "pro" } } } } },
      },
      answer: { ...COMPUTED, target: "account", name: "pro_users", status: "computing" },
    },
  ],
  "POST /api/v1/computed_attributes/preview": [
    {
      body: { target: "user", compute: { count: { event: "Ordered" } } },
      answer: { type: "numeric", count: 1, sample: [{ id: EXAMPLE.user, name: "Ann Smith", value: 1 }] },
    },
  ],
  "GET /api/v1/computed_attributes/{id}": [{ parameters: { id: EXAMPLE.computedAttribute }, answer: COMPUTED }],
  "PUT /api/v1/computed_attributes/{id}": [
    {
      parameters: { id: EXAMPLE.computedAttribute },
      body: { description: "Orders of all time." },
      answer: { ...COMPUTED, description: "Orders of all time." },
    },
  ],
  "DELETE /api/v1/computed_attributes/{id}": [
    {
      parameters: { id: EXAMPLE.oldComputedAttribute, values: "keep" },
      answer: { id: EXAMPLE.oldComputedAttribute, deleted: true, job_id: null },
    },
  ],
  "GET /api/v1/{id}/computed_attributes/{name}": [
    {
      parameters: { id: EXAMPLE.user, name: "orders_1" },
      answer: {
        definition: COMPUTED,
        value: 1,
        computed: 1,
        events: {
          count: 1,
          from: null,
          first: [
            {
              id: EXAMPLE.event,
              event: "Ordered",
              created_at: "2024-05-01T09:30:00.000Z",
              user_id: EXAMPLE.user,
              value: null,
            },
          ],
          last: [],
        },
        inputs: null,
        users: null,
      },
    },
  ],
};
