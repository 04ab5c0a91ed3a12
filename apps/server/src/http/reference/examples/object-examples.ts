import type { Example, Examples } from "./example.js";
import {
  COMMENT,
  CONNECTOR,
  DEPLOYMENT,
  ENTITY,
  ERASURE,
  JOB,
  ORGANIZATION,
  PLATFORM,
  SEGMENT,
  SIGNED_IN_USER,
  USER,
  USER_REPORT,
} from "./example-records.js";
import { EXAMPLE } from "./example-values.js";

const CHANGES: Example[] = [
  {
    title: "An organization",
    as: "operator",
    parameters: { id: EXAMPLE.organization },
    body: { name: "Acme", enabled: true },
    answer: ORGANIZATION,
  },
  { title: "A user", parameters: { id: EXAMPLE.user }, body: { approved: true }, answer: USER },
  {
    title: "A connector",
    parameters: { id: "app" },
    body: { settings: { color: "#0066ff" }, private_settings: { api_key: "k-1" } },
    answer: CONNECTOR,
  },
  {
    title: "A segment",
    parameters: { id: EXAMPLE.usersSegment },
    body: { name: "Everybody", query: { match_all: {} } },
    answer: { ...SEGMENT, warnings: [] },
  },
  {
    title: "A segment of accounts",
    parameters: { id: EXAMPLE.accountsSegment },
    body: { name: "All accounts" },
    answer: { ...SEGMENT, id: EXAMPLE.accountsSegment, type: "accounts_segment", stats: { accounts: 1 }, warnings: [] },
  },
  { title: "An entity", parameters: { id: EXAMPLE.entity }, body: { name: "How it began" }, answer: ENTITY },
  { title: "A comment", parameters: { id: EXAMPLE.comment }, body: { text: "Called back twice." }, answer: COMMENT },
  {
    title: "A platform",
    as: "operator",
    parameters: { id: EXAMPLE.platform },
    body: { domains: ["shop.example.org", "blog.example.org"] },
    answer: { ...PLATFORM, domains: ["shop.example.org", "blog.example.org"] },
  },
  {
    title: "A deployment",
    as: "operator",
    parameters: { id: EXAMPLE.deployment },
    body: { settings: { title: "Hello", _placement: "top" } },
    answer: DEPLOYMENT,
  },
];

const READ: [string, string][] = [
  ["The organization", "org"],
  ["An account", EXAMPLE.account],
  ["An event", EXAMPLE.event],
  ["A segment of users", EXAMPLE.usersSegment],
  ["A segment of accounts", EXAMPLE.accountsSegment],
  ["A comment", EXAMPLE.comment],
  ["An entity", EXAMPLE.entity],
  ["A job", EXAMPLE.job],
  ["A platform", EXAMPLE.platform],
  ["A deployment", EXAMPLE.deployment],
];

/** Objects by their id, and the user of a token. */
export const OBJECT_EXAMPLES: Examples = {
  "GET /api/v1/{id}": [
    { title: "A user", as: "connector", parameters: { id: EXAMPLE.user }, answer: USER },
    { title: "The calling connector", as: "connector", parameters: { id: "app" }, answer: CONNECTOR },
    ...READ.map(([title, id]): Example => ({ title, as: "connector", parameters: { id } })),
  ],
  "PUT /api/v1/{id}": CHANGES,
  "POST /api/v1/{id}": CHANGES,
  "DELETE /api/v1/{id}": [
    {
      title: "A comment",
      parameters: { id: EXAMPLE.oldComment },
      answer: { id: EXAMPLE.oldComment, deleted: true },
    },
    {
      title: "A user, who is erased",
      parameters: { id: EXAMPLE.leavingUser },
      answer: { id: EXAMPLE.leavingUser, deleted: true, position: EXAMPLE.position, receipt: ERASURE },
    },
    {
      title: "A job, which is canceled",
      parameters: { id: EXAMPLE.scheduledJob },
      answer: { ...JOB, type: "import", status: "canceled" },
    },
  ],
  "GET /api/v1/me": [
    { title: "With a token", as: "user", answer: SIGNED_IN_USER },
    { title: "Without a token", as: "nobody", answer: false },
  ],
  "GET /api/v1/me/user_report": [{ answer: USER_REPORT }],
  "POST /api/v1/users/login": [{ as: "nobody", body: { access_token: EXAMPLE.token }, answer: SIGNED_IN_USER }],
  "GET /api/v1/logout": [{ answer: { signed_out: true } }],
};
