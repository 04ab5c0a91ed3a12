import type { Examples } from "./example.js";

const EVENT_PLAN = {
  event: "Ordered",
  description: "An order was paid.",
  owner: "Shop team",
  hidden: false,
  refuse: false,
  properties: [{ name: "total", type: "number", required: true, description: "In euros." }],
  merged_into: null,
  can_be_separated: false,
  merged_from: [],
  problems: [
    {
      property: "total",
      problem: "wrong_type",
      found: "string",
      count: 4,
      refused: 0,
      first_at: "2024-05-11T09:30:00.000Z",
      last_at: "2024-05-12T09:30:00.000Z",
    },
  ],
  updated_at: "2024-05-01T09:00:00.000Z",
};

/** The names of events and their plans. */
export const EVENT_EXAMPLES: Examples = {
  "GET /api/v1/events/names": [
    {
      parameters: { order: "volume", text: "order" },
      answer: [
        {
          name: "Ordered",
          count: 512,
          last_24_hours: 3,
          last_7_days: 18,
          last_30_days: 90,
          first_at: "2023-01-09T08:00:00.000Z",
          last_at: "2024-05-12T09:30:00.000Z",
          emitted: false,
          sources: ["shop"],
          days: Array.from({ length: 30 }, () => 3),
          description: "An order was paid.",
          owner: "Shop team",
          hidden: false,
          planned: true,
          problems: 4,
        },
      ],
    },
  ],
  "GET /api/v1/events/plan": [{ parameters: { event: "Ordered" }, answer: EVENT_PLAN }],
  "PUT /api/v1/events/plan": [
    {
      body: { event: "Ordered", owner: "Shop team", properties: [{ name: "total", type: "number", required: true }] },
      answer: EVENT_PLAN,
    },
  ],
  "GET /api/v1/events/properties": [
    {
      parameters: { event: "Ordered" },
      answer: {
        event: "Ordered",
        count: 512,
        sampled: 512,
        properties: [{ name: "total", types: ["number"], count: 512, samples: [{ value: 20, count: 40 }] }],
      },
    },
  ],
};
