import type { Examples } from "./example.js";
import { ORGANIZATION } from "./example-records.js";

const REBUILD = {
  organization: "default",
  phase: "documents",
  documents: 1_200,
  changes: 0,
  changes_total: 0,
  requested_at: "2024-05-12T09:30:00.000Z",
  finished_at: null,
};

const LOG = {
  organization: "default",
  log: "postgres",
  stream: null,
  is_truncated: false,
  state: "present",
  waiting_entries: 0,
};
const TRUNCATED = { ...LOG, log: "nats", stream: "MUSTER_LOG_0", is_truncated: true, state: "closing" };

/** The work of operators: organizations, rebuilds, health and metrics. */
export const OPERATION_EXAMPLES: Examples = {
  "GET /api/v1/openapi.json": [{}],
  "GET /healthz": [{ answer: { status: "ok" } }],
  "GET /readyz": [{ answer: { status: "ok" } }],
  "GET /proof": [
    {
      parameters: { challenge: "2c26b46b68ffc68ff99b453c1d304134" },
      answer: { proof: "89c8d1bb3fd87dbb1ea9f0b1f2a5fb3f4f7e4b2c1d6f0a9e8c7b6a5948372615" },
    },
  ],
  "GET /metrics": [{}],
  "GET /packages": [
    {
      answer: {
        packages: [
          {
            name: "@muster/client",
            version: "0.1.0",
            bytes: 53_780,
            integrity:
              "sha512-Zl0hVb6mJ8lB9nq1wZ0rYp5sT7uX2c4e6g8i0k2m4o6q8s0u2w4y6A8C0E2G4I6K8M0O2Q4S6U8W0Y2a4c6e8g==",
            url: "https://muster.example.com/packages/client.tgz",
            install: "npm install https://muster.example.com/packages/client.tgz",
          },
        ],
      },
    },
  ],
  "GET /packages/{file}": [{ parameters: { file: "client.tgz" } }],
  "GET /api/v1/organizations": [{ parameters: { page: 1, per_page: 30 }, answer: [ORGANIZATION] }],
  "POST /api/v1/organizations": [{ body: { namespace: "initech", name: "Initech" }, answer: ORGANIZATION }],
  "GET /api/v1/health_checks": [
    { answer: [{ name: "Disk", status: "late", message: "3.1 of 50.0 GB are free.", advice: "Enlarge the disk." }] },
  ],
  "GET /api/v1/retention": [{ answer: [{ what: "Files of extracts", days: 7, setting: "EXTRACT_RETENTION_DAYS" }] }],
  "POST /api/v1/backup": [{ body: { passphrase: "correct horse battery staple" } }],
  "POST /api/v1/deliveries/resume": [{ answer: { resumed: true } }],
  "GET /api/v1/ingestion/log": [{ answer: LOG }],
  "POST /api/v1/ingestion/log/move": [{ body: { to: "postgres" }, answer: LOG }],
  "POST /api/v1/ingestion/log/renew": [{ body: { all: true }, answer: [TRUNCATED] }],
  "GET /api/v1/rebuild": [{ parameters: { all: true }, answer: [REBUILD] }],
  "POST /api/v1/rebuild": [{ body: { all: false }, answer: [REBUILD] }],
};
