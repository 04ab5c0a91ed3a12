import type { Examples } from "./example.js";
import { EXAMPLE } from "./example-values.js";

const HEALTH = {
  state: "ok",
  message: "Healthy. Everything that arrived is searchable.",
  behind_ms: 0,
  waiting_records: 0,
};

const DAY = { at: "2024-05-12T00:00:00.000Z", total: 1_204, created: 12 };

/** How an organization does. */
export const OVERVIEW_EXAMPLES: Examples = {
  "GET /api/v1/overview": [
    {
      answer: {
        at: "2024-05-12T09:30:00.000Z",
        users: 1_204,
        accounts: 88,
        intake: { any: true, per_second: 41, minutes: [{ at: "2024-05-12T09:30:00.000Z", count: 2_460 }] },
        lag: {
          since: "2024-05-12T09:25:00.000Z",
          stages: [{ stage: "apply", records: 12_300, p50_ms: 9, p95_ms: 31, behind_ms: 0 }],
          behind_ms: 0,
          waiting_records: 0,
        },
        connectors: [
          {
            id: EXAMPLE.connector,
            name: "Mailer",
            enabled: true,
            status: "ok",
            messages: [],
            receives: true,
            queued_messages: 0,
            lag_ms: 0,
            circuit: "closed",
            last_error: null,
            dead_letters: 12,
            sent_last_hour: 3_410,
            failed_last_hour: 2,
          },
        ],
        attention: [
          {
            kind: "dead_letters",
            severity: "warning",
            message: "12 messages to Mailer could not be delivered.",
            count: 12,
            ids: [EXAMPLE.connector],
          },
        ],
        health: HEALTH,
      },
    },
  ],
  "GET /api/v1/overview/health": [{ answer: HEALTH }],
  "GET /api/v1/overview/growth": [{ answer: { users: [DAY], accounts: [{ ...DAY, total: 88, created: 1 }] } }],
  "GET /api/v1/overview/segments": [
    {
      answer: {
        segments: [
          {
            id: EXAMPLE.usersSegment,
            name: "Buyers",
            subject_type: "user",
            size: 320,
            entered: 14,
            left: 3,
            sizes: [309, 320],
          },
        ],
      },
    },
  ],
};
