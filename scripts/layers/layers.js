/**
 * Folders with an order. Imports point down it, those of types too.
 *
 * @typedef {object} Area
 * @property {string} root The folder that the names below are in.
 * @property {readonly (readonly string[])[]} order From the top to the bottom. Folders in one row are on one level: one may
 *   import the other, but not both each other. Files beside them may import all of them.
 * @property {readonly string[]} [outside] Folders that may import all others, and that no other may import.
 * @property {readonly Ban[]} [bans] Imports that the order allows, and that are refused nevertheless.
 * @property {readonly string[]} [apart] Folders whose folders do not import each other at all.
 */

/**
 * @typedef {object} Ban
 * @property {string} from
 * @property {readonly string[]} to Folders of the same area, or packages. A package includes what is below it.
 * @property {boolean} [types] Types may be imported.
 * @property {string} why
 */

/** What does input or output. */
const INPUT_AND_OUTPUT = [
  ...["fs", "http", "https", "net", "tls", "dns", "child_process", "worker_threads", "timers"].map((n) => `node:${n}`),
  ...["pg", "fastify", "pino", "@duckdb", "@clickhouse", "@nats-io", "nodemailer"],
];

/** @type {readonly Area[]} */
export const AREAS = [
  {
    root: "apps/server/src",
    order: [
      ["server"],
      ["http"],
      ["jobs", "upkeep", "overview"],
      ["pipeline"],
      ["deliveries"],
      ["connectors"],
      ["audience", "platforms", "organizations", "members"],
      ["outbound"],
      ["storage"],
      ["domain", "runtime"],
    ],
    outside: ["tools", "testing", "connector-child"],
    bans: [
      { from: "http", to: ["storage"], why: "A route calls a service. Services read and write storage." },
      {
        from: "storage",
        to: ["domain"],
        types: true,
        why: "Storage keeps what the domain decided: it may know the domain's types, not call its rules.",
      },
      { from: "domain", to: ["runtime"], why: "The domain holds rules. It knows none of the parts that use them." },
      { from: "runtime", to: ["domain"], why: "Every part but the domain uses the runtime. It uses none of them." },
      { from: "domain", to: INPUT_AND_OUTPUT, why: "The domain does no input or output. Its callers read and write." },
      {
        from: "storage/ingest-log/nats",
        to: ["storage/postgres", "storage/ingest-log/postgres"],
        why: "The log in NATS knows the port. What it needs of PostgreSQL is passed to it.",
      },
      {
        from: "storage/ingest-log/postgres",
        to: ["storage/ingest-log/nats"],
        why: "The log in PostgreSQL knows the port, and no other log.",
      },
    ],
  },
  {
    root: "apps/dashboard/src",
    order: [["app"], ["screens"], ["filters", "insights", "jobs", "settings-form"], ["ui"], ["api"]],
    apart: ["screens"],
  },
  {
    // Between packages. Imports by name count as imports of the folder.
    root: "",
    order: [
      ["bench"],
      ["packages/cli"],
      ["apps/server", "apps/dashboard"],
      ["connector-apps"],
      ["packages/connector", "packages/sandbox"],
      ["packages/client", "packages/browser"],
      ["packages/query"],
      ["packages/protocol"],
    ],
  },
];
