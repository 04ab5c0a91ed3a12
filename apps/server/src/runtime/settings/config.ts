import { resolve } from "node:path";
import { combinedProblems } from "./combined-problems.js";
import {
  BadValue,
  brandWord,
  clusterName,
  flag,
  integer,
  list,
  memoryBytes,
  oneOf,
  proxies,
  roles,
  share,
  text,
  url,
  urls,
} from "./read-setting.js";
import { ROLES } from "./roles.js";
import { optional, type Setting, secret, setting } from "./setting.js";

const MB = 1024 * 1024;

/** Every setting of the server. The settings page of the docs is generated from this table. */
const SETTINGS = {
  host: setting("HOST", "127.0.0.1", "Address to listen on.", text),
  port: setting("PORT", "8080", "Port to listen on; 0 takes a free one.", integer(0, 65_535)),
  publicUrl: optional(
    "PUBLIC_URL",
    "Start of every absolute URL that the server gives to clients. Default: the address it listens on, with `localhost` when HOST is `0.0.0.0` or `::`. Its host, or BASE_DOMAIN when the host is in it, also needs the names `default.<host>` for the first organization and `firehose.<host>` for the gateway. Clients cannot derive the gateway from an IP address: they must be given its URL, which ends in `/firehose`.",
    url("http", "https"),
  ),
  baseDomain: setting("BASE_DOMAIN", "localhost", "Organizations answer on `<namespace>.<BASE_DOMAIN>`.", text),
  brand: setting(
    "BRAND",
    "Svc",
    "The word in the names of headers, claims and events of the browser library.",
    brandWord,
  ),
  roles: setting(
    "ROLES",
    ROLES.join(","),
    "Which parts this process runs. Without `worker` it needs DATABASE_URL, and without `worker` all roles but `gateway` need CLICKHOUSE_URL too. Several workers need the same CLICKHOUSE_URL.",
    roles,
  ),
  dataDir: setting("DATA_DIR", "./data", "Where the embedded engines, keys and files live.", (value) => resolve(value)),
  databaseUrl: secret(
    optional(
      "DATABASE_URL",
      "A PostgreSQL server (15 or later) instead of the embedded one.",
      url("postgres", "postgresql"),
    ),
  ),
  databaseDirectUrl: secret(
    optional(
      "DATABASE_DIRECT_URL",
      "The direct address of the same server, when DATABASE_URL is a connection pooler in transaction mode such as PgBouncer. The server then prepares no statements, and connection settings must be set for the role in the database.",
      url("postgres", "postgresql"),
    ),
  ),
  databaseConnections: optional(
    "DATABASE_CONNECTIONS",
    "Most connections to PostgreSQL that this process uses for statements. Default: 12, or 6 with the role `gateway` alone, and 8 more for the pipeline thread of a worker. Each of the two connection pools opens one more connection for LISTEN.",
    integer(4, 1_000),
  ),
  clickhouseUrl: secret(
    optional(
      "CLICKHOUSE_URL",
      "A ClickHouse server that answers questions, instead of the embedded engine.",
      url("http", "https"),
    ),
  ),
  clickhouseCluster: optional(
    "CLICKHOUSE_CLUSTER",
    "Name of the ClickHouse cluster. Tables are then replicated and distributed over the cluster.",
    clusterName,
  ),
  natsUrl: secret(
    optional(
      "NATS_URL",
      "A NATS server (2.9 or later) with JetStream that holds the ingestion logs of new organizations, instead of PostgreSQL: `nats://user:password@host:4222`, or several addresses of one cluster separated by commas. `tls://` encrypts.",
      urls("nats", "tls"),
    ),
  ),
  natsStreams: setting(
    "NATS_STREAMS",
    "8",
    "Streams that new organizations are spread over. An organization stays in its stream when this changes.",
    integer(1, 1_000),
  ),
  natsReplicas: optional(
    "NATS_REPLICAS",
    "Replicas of each new stream: 1, 3 or 5. Default: 3 when NATS is a cluster, otherwise 1.",
    (value) => Number(oneOf("1", "3", "5")(value)),
  ),
  questionsMemoryBytes: setting(
    "QUESTIONS_MEMORY_BYTES",
    "0",
    "The largest amount of memory that the embedded question engine may use; 0 means a quarter of the memory of the machine or container, from 128 MB to 1 GB.",
    memoryBytes(128 * MB, 1_024 * MB),
  ),
  questionsThreads: setting(
    "QUESTIONS_THREADS",
    "0",
    "Threads that the embedded question engine uses for one question or step; 0 means half of the processors. More threads make a question about many users faster, and every record more expensive.",
    integer(0, 1_024),
  ),
  pipelineThread: optional(
    "PIPELINE_THREAD",
    "Whether a worker applies records in a thread of its own, and has the embedded question engine in another one, beside the thread that answers requests. Default: `true` with two or more processors.",
    flag,
  ),
  questionTimeLimitMs: setting(
    "QUESTION_TIME_LIMIT_MS",
    "30000",
    "Longest time one question may take.",
    integer(100, 86_400_000),
  ),
  secretKey: secret(optional("SECRET_KEY", "Key that seals secrets at rest. Default: generated into DATA_DIR.", text)),
  adminToken: secret(
    optional("MUSTER_ADMIN_TOKEN", "Token of the operator, for the CLI. Default: generated into DATA_DIR.", text),
  ),
  metricsToken: secret(
    optional("METRICS_TOKEN", "Bearer token for /metrics. Without it /metrics answers on loopback only.", text),
  ),
  tlsCertFile: optional("TLS_CERT_FILE", "Certificate chain (PEM) to terminate TLS with.", text),
  tlsKeyFile: optional("TLS_KEY_FILE", "Private key (PEM) of TLS_CERT_FILE.", text),
  trustProxy: setting(
    "TRUST_PROXY",
    "false",
    "Which proxies to trust about the client's address (X-Forwarded-* headers): their addresses or ranges (such as `10.0.0.0/8`, separated by commas), or their number (such as `1`) when clients can reach the server only through them.",
    proxies,
  ),
  allowPrivateNetwork: setting(
    "ALLOW_PRIVATE_NETWORK",
    "false",
    "Let requests made for users reach private and loopback addresses.",
    flag,
  ),
  bundledConnectors: setting(
    "BUNDLED_CONNECTORS",
    "true",
    "Whether the server runs the connectors that come with it, in a child process that starts with the first call to one of them. With `false` they are not offered, and installed ones are not called.",
    flag,
  ),
  destinations: setting(
    "DESTINATIONS",
    "all",
    "Which destinations of the package that `muster destinations start` installs may be used: `all`, `none`, or their names, separated by commas. Another one is not in the gallery, cannot be installed by its name, and is not called when it was installed before: its messages wait.",
    list,
  ),
  destinationsDir: optional(
    "DESTINATIONS_DIR",
    "Where the package of destinations is installed. Default: `destinations` in DATA_DIR.",
    (value) => resolve(value),
  ),
  geoipFile: optional(
    "GEOIP_FILE",
    "An mmdb file that locates addresses. Default: a database of countries that comes with Muster.",
    text,
  ),
  logLevel: setting(
    "LOG_LEVEL",
    "info",
    "The lowest level that is logged.",
    oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent"),
  ),
  slowQueryMs: setting("SLOW_QUERY_MS", "1000", "Queries that take longer are logged.", integer(1)),
  bodyLimitBytes: setting("BODY_LIMIT_BYTES", String(MB), "Largest body of a REST call.", integer(1_024)),
  gatewayLimitBytes: setting(
    "GATEWAY_LIMIT_BYTES",
    String(10 * MB),
    "Largest body of a batch, after decompression.",
    integer(1_024),
  ),
  gatewayLimitEntries: setting("GATEWAY_LIMIT_ENTRIES", "5000", "Most entries in one batch.", integer(1)),
  admissionThreads: optional(
    "ADMISSION_THREADS",
    "Threads that check the entries of batches; 0 means that the main thread does it. Default: half of the processors, at most 4.",
    integer(0, 64),
  ),
  requestTimeoutMs: setting("REQUEST_TIMEOUT_MS", "30000", "Longest time to receive a whole request.", integer(100)),
  authFailuresPerMinute: setting(
    "AUTH_FAILURES_PER_MINUTE",
    "100",
    "Failed authentications for one connector that an address (for IPv6 its /64 network) may make in a minute before they are answered with 429. Right credentials always work.",
    integer(1),
  ),
  userTokenMaxDays: setting(
    "USER_TOKEN_MAX_DAYS",
    "365",
    "Days after its `iat` for which a user's token is accepted. It does not limit tokens with the scope admin.",
    integer(1, 36_500),
  ),
  logRetentionDays: setting("LOG_RETENTION_DAYS", "30", "Days the ingestion log is kept.", integer(1, 3_650)),
  traceRetentionDays: setting(
    "TRACE_RETENTION_DAYS",
    "30",
    "Days connector logs and delivery traces are kept.",
    integer(1, 3_650),
  ),
  historyRetentionDays: setting(
    "HISTORY_RETENTION_DAYS",
    "90",
    "Days finished jobs, rejected entries, dead letters and former statuses of connectors are kept.",
    integer(1, 3_650),
  ),
  maxBacklogEntries: setting(
    "MAX_BACKLOG_ENTRIES",
    "500000",
    "Accepted entries waiting to be applied before the gateway answers 503.",
    integer(1_000),
  ),
  bulkEvery: setting(
    "BULK_EVERY",
    "4",
    "While live records wait, one micro-batch in this many takes records of imports.",
    integer(2, 1_000),
  ),
  importShare: setting(
    "IMPORT_SHARE",
    "1",
    "The share of the time that an import works, above 0 and at most 1. Live records always go before imports.",
    share,
  ),
  waitLimitMs: setting(
    "WAIT_LIMIT_MS",
    "30000",
    "Longest time a reader waits for a position before it gets 504.",
    integer(1, 600_000),
  ),
  jobSlots: setting(
    "JOB_SLOTS",
    "2",
    "How many jobs of each type (imports, extracts, exports, rewrites, undos) one process runs at the same time.",
    integer(1, 64),
  ),
  importMaxBytes: setting("IMPORT_MAX_BYTES", String(50_000 * MB), "Largest file to import.", integer(1_024)),
  extractRetentionDays: setting(
    "EXTRACT_RETENTION_DAYS",
    "7",
    "Days that the file of an extract and the refused rows of an import are kept.",
    integer(1, 3_650),
  ),
  s3Endpoint: optional(
    "S3_ENDPOINT",
    "Address of an S3-compatible service to keep extracts in, instead of DATA_DIR.",
    url("http", "https"),
  ),
  s3Bucket: optional("S3_BUCKET", "Its bucket.", text),
  s3Region: setting("S3_REGION", "us-east-1", "The region of that bucket.", text),
  s3AccessKeyId: secret(optional("S3_ACCESS_KEY_ID", "Key that may read and write the bucket.", text)),
  s3SecretAccessKey: secret(optional("S3_SECRET_ACCESS_KEY", "The secret of that key.", text)),
  deliveryTimeoutMs: setting(
    "DELIVERY_TIMEOUT_MS",
    "30000",
    "Longest time a connector may take to answer a call.",
    integer(100),
  ),
  deliveryRetryMs: setting(
    "DELIVERY_RETRY_MS",
    "1000",
    "First pause after a failed call to a connector. It doubles with each failure, up to five minutes.",
    integer(1),
  ),
  deliveryAttempts: setting(
    "DELIVERY_ATTEMPTS",
    "10",
    "Attempts at a message that a connector refuses before it becomes a dead letter.",
    integer(1),
  ),
  deliveryMaxAgeHours: setting(
    "DELIVERY_MAX_AGE_HOURS",
    "72",
    "Age at which messages to an unavailable connector become dead letters.",
    integer(1),
  ),
  combineUpdatesMs: setting(
    "COMBINE_UPDATES_MS",
    "2000",
    "How long an update of a user or account waits for later ones, which are sent with it as one message. Only for connectors with the tag `kraken`; 0: they get each at once.",
    integer(0, 60_000),
  ),
  smtpUrl: secret(
    optional("SMTP_URL", "Mail server for messages to people, e.g. `smtp://user:pass@host:587`.", url("smtp", "smtps")),
  ),
  mailFrom: setting("MAIL_FROM", "Muster <muster@localhost>", "Sender of mail.", text),
  adminEmails: setting(
    "ADMIN_EMAILS",
    "",
    "Who gets mail when a connector reports an error, besides the owners of its organization; separated by commas.",
    list,
  ),
  maxAttributes: setting(
    "MAX_ATTRIBUTES",
    "2000",
    "Most attributes of users, and as many of accounts, in an organization. The embedded question engine can hold more than 2,000 when QUESTIONS_MEMORY_BYTES has 512 KB for each.",
    integer(10, 10_000),
  ),
  maxComputedAttributes: setting(
    "MAX_COMPUTED_ATTRIBUTES",
    "200",
    "Most computed attributes of users and accounts together, in an organization.",
    integer(0, 2_000),
  ),
  maxSegments: setting("MAX_SEGMENTS", "5000", "Most segments of an organization.", integer(0, 20_000)),
  maxEntities: setting(
    "MAX_ENTITIES",
    "1000000",
    "Most entities of an organization, and as many comments.",
    integer(10),
  ),
  endUserNewAttributesPerDay: setting(
    "END_USER_NEW_ATTRIBUTES_PER_DAY",
    "1000",
    "New attributes, and as many event names, that visitors of websites may define in an organization within a day (UTC), and as many that holders of user tokens may define; 0 means none. What is too many waits for a member, or until several networks have sent it.",
    integer(0),
  ),
  visitorNewAttributesPerDay: setting(
    "VISITOR_NEW_ATTRIBUTES_PER_DAY",
    "100",
    "How many of these one visitor or one user may define.",
    integer(1),
  ),
  browserRecordsPerMinute: setting(
    "BROWSER_RECORDS_PER_MINUTE",
    "600",
    "Most records of one visitor of a website, and calls with the token of one user, in a minute. One address may send twenty times as many, because visitors share addresses.",
    integer(1),
  ),
  maxValueBytes: setting("MAX_VALUE_BYTES", "65536", "Largest attribute value.", integer(256)),
  maxSubjectBytes: setting(
    "MAX_SUBJECT_BYTES",
    "1048576",
    "Most bytes of the attributes of one user or account. End users may fill a quarter of it.",
    integer(4_096),
  ),
  mergesPerDay: setting(
    "MERGES_PER_DAY",
    "50",
    "Merges one user or account may take part in within a day.",
    integer(1),
  ),
  maxAnonymousIds: setting(
    "MAX_ANONYMOUS_IDS",
    "1000",
    "Most anonymous ids of one user or account, and as many identifiers of each other kind.",
    integer(1),
  ),
} satisfies Record<string, Setting<unknown>>;

type Values<Table> = { [Key in keyof Table]: Table[Key] extends Setting<infer Value> ? Value : never };

export type Config = Values<typeof SETTINGS>;

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Reads the whole configuration, or throws one error that names every problem. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const entries = Object.entries(SETTINGS).map(([key, { env, default: fallback, read, secret: isSecret }]) => {
    const given = environment[env] === "" ? undefined : environment[env];
    const value = given ?? fallback;
    if (value === undefined) return [key, undefined];
    try {
      return [key, read(value)];
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      problems.push(`${env} ${error.message}${isSecret ? "" : `, not "${value}"`}.`);
      return [key, undefined];
    }
  });
  const config = Object.fromEntries(entries) as Config;
  problems.push(...combinedProblems(config));
  if (problems.length > 0) {
    throw new ConfigError(
      ["The configuration cannot be used:", ...problems.map((problem) => `  - ${problem}`)].join("\n"),
    );
  }
  return config;
}

export interface SettingLine {
  env: string;
  value: string;
  default: string | undefined;
  description: string;
}

/** The effective settings, with secrets masked, for `muster config` and the docs. */
export function describeConfig(config: Config): SettingLine[] {
  return Object.entries(SETTINGS).map(([key, { env, description, default: fallback, secret: isSecret }]) => {
    const value = config[key as keyof Config];
    const shown = value === undefined ? "" : Array.isArray(value) ? value.join(",") : String(value);
    return { env, value: isSecret && shown !== "" ? "********" : shown, default: fallback, description };
  });
}
