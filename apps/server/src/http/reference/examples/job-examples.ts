import type { Example, Examples } from "./example.js";
import { JOB } from "./example-records.js";
import { EXAMPLE } from "./example-values.js";

const IMPORT: Example = {
  body: { url: `${EXAMPLE.connectorUrl}/records.json`, format: "json", traits: { source: "list" }, dry_run: true },
  answer: { ...JOB, type: "import" },
};
const EXTRACT: Example[] = [
  {
    title: "A file of JSON, with a call when it is ready",
    body: { url: `${EXAMPLE.connectorUrl}/ready`, format: "json", query: { match_all: {} } },
    answer: JOB,
  },
  {
    title: "A CSV file without a call",
    body: { url: null, format: "csv", fields: ["id", "created_at"], query: { exists: { field: "created_at" } } },
    answer: JOB,
  },
];
const UPLOAD = { id: EXAMPLE.upload, url: `upload:${EXAMPLE.upload}`, received: 0 };
const DOWNLOAD: Example = {
  parameters: {
    organization: EXAMPLE.organization,
    job: EXAMPLE.job,
    file: EXAMPLE.file,
    expires: EXAMPLE.expires,
    signature: EXAMPLE.signature,
  },
};

/** Imports, extracts, exports and their files. */
export const JOB_EXAMPLES: Examples = {
  "GET /api/v1/jobs": [{ parameters: { type: "extract", status: "completed" }, answer: [JOB] }],
  "POST /api/v1/imports/inspect": [
    {
      body: { url: `upload:${EXAMPLE.csvUpload}`, object: "users" },
      answer: {
        format: "csv",
        delimiter: ",",
        header: true,
        columns: [
          {
            column: "E-mail",
            type: "string",
            samples: ["ann@example.com"],
            filled: 1,
            suggestion: { to: "identifier", name: "email", type: "string" },
          },
        ],
        rows: [["ann@example.com"]],
        sampled_rows: 1,
        is_whole: true,
      },
    },
  ],
  "GET /api/v1/imports/{id}/reasons": [
    {
      as: "operator",
      parameters: { id: EXAMPLE.job },
      answer: {
        reasons: [{ code: "invalid_entry", message: 'The column "Age" is not a number.', rows: 3, first_line: 12 }],
      },
    },
  ],
  "POST /api/v1/import/users": [
    { ...IMPORT, title: "A JSON file, as a dry run" },
    {
      title: "A CSV file with a mapping of its columns",
      body: {
        url: `${EXAMPLE.connectorUrl}/people.csv`,
        format: "csv",
        delimiter: ";",
        columns: [
          { column: "E-mail", to: "identifier", name: "email" },
          { column: "Seats", to: "attribute", name: "seats", type: "numeric" },
          { column: "Notes", to: "ignore" },
        ],
      },
      answer: { ...JOB, type: "import" },
    },
  ],
  "POST /api/v1/import/accounts": [IMPORT],
  "POST /api/v1/import/events": [IMPORT],
  "POST /api/v1/extract/users": EXTRACT,
  "POST /api/v1/extract/user_reports": EXTRACT,
  "POST /api/v1/extract/accounts": EXTRACT,
  "POST /api/v1/extract/account_reports": EXTRACT,
  "POST /api/v1/extract/events": EXTRACT,
  "POST /api/v1/attributes/preview": [
    {
      body: { object: "users", name: "age", type: "date" },
      answer: {
        total: 120,
        checked: 120,
        converted: 118,
        lost: 2,
        examples: [{ id: EXAMPLE.user, value: 31, reason: "the attribute's type is date, and a number was given" }],
        segments: [{ id: EXAMPLE.usersSegment, name: "Pro" }],
      },
    },
  ],
  "POST /api/v1/attributes/convert": [
    {
      body: { object: "users", name: "age", type: "string" },
      answer: { ...JOB, type: "rewrite" },
    },
  ],
  "POST /api/v1/events/merge": [
    {
      body: { from: "Order placed", into: "Ordered" },
      answer: { ...JOB, type: "rewrite", object: "events" },
    },
  ],
  "POST /api/v1/events/unmerge": [
    { body: { event: "Order made" }, answer: { ...JOB, type: "rewrite", object: "events" } },
  ],
  "POST /api/v1/attributes/delete": [
    { body: { object: "accounts", name: "crm/size" }, answer: { ...JOB, type: "rewrite", object: "accounts" } },
  ],
  "POST /api/v1/{id}/revert": [
    {
      title: "What the undo of an import would do",
      parameters: { id: EXAMPLE.importJob },
      body: { dry_run: true },
      answer: { ...JOB, type: "revert", dry_run: true },
    },
    {
      title: "Undo what a connector wrote in an hour",
      parameters: { id: EXAMPLE.connector },
      body: { from: "2026-03-01T10:00:00Z", to: "2026-03-01T11:00:00Z" },
      answer: { ...JOB, type: "revert" },
    },
  ],
  "POST /api/v1/{id}/export": [
    {
      title: "The members of a segment",
      parameters: { id: "app" },
      body: { object: "users", segment_id: EXAMPLE.usersSegment },
      answer: { ...JOB, type: "export" },
    },
    {
      title: "Those that a query selects",
      parameters: { id: "app" },
      body: { object: "users", query: { term: { plan: "pro" } } },
      answer: { ...JOB, type: "export" },
    },
  ],
  "POST /api/v1/uploads": [{ answer: UPLOAD }],
  "PUT /api/v1/uploads/{id}": [
    {
      parameters: { id: EXAMPLE.upload, offset: 0 },
      body: '{"external_id": "1", "plan": "pro"}\n',
      answer: { ...UPLOAD, received: 32 },
    },
  ],
  "GET /api/v1/downloads/{organization}/{job}/{file}": [
    { ...DOWNLOAD, title: "The whole file" },
    { ...DOWNLOAD, title: "The first bytes", headers: { range: "bytes=0-9" }, status: 206 },
  ],
  "POST /api/v1/downloads/{organization}/{job}/{file}": [DOWNLOAD],
};
