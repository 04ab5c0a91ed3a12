import { type Role, rolesWithQuestions } from "./roles.js";

interface CombinedSettings {
  roles: readonly Role[] | undefined;
  databaseUrl: string | undefined;
  databaseDirectUrl: string | undefined;
  clickhouseUrl: string | undefined;
  clickhouseCluster: string | undefined;
  tlsCertFile: string | undefined;
  tlsKeyFile: string | undefined;
  s3Endpoint: string | undefined;
  s3Bucket: string | undefined;
  s3AccessKeyId: string | undefined;
  s3SecretAccessKey: string | undefined;
  /** Undefined when the value cannot be read. */
  maxAttributes: number | undefined;
  questionsMemoryBytes: number | undefined;
}

/** What is wrong with settings that are each right by themselves. */
export function combinedProblems(config: CombinedSettings): string[] {
  const problems: string[] = [];
  if ((config.tlsCertFile === undefined) !== (config.tlsKeyFile === undefined)) {
    problems.push("TLS_CERT_FILE and TLS_KEY_FILE go together: give both or none.");
  }
  const bucket = [config.s3Endpoint, config.s3Bucket, config.s3AccessKeyId, config.s3SecretAccessKey];
  if (bucket.some((value) => value !== undefined) && bucket.some((value) => value === undefined)) {
    problems.push("S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY go together: give all or none.");
  }
  if (config.clickhouseCluster !== undefined && config.clickhouseUrl === undefined) {
    problems.push("CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL, the address of one of its servers.");
  }
  if (config.databaseDirectUrl !== undefined && config.databaseUrl === undefined) {
    problems.push("DATABASE_DIRECT_URL needs DATABASE_URL, the address of the pooler.");
  }
  return [...problems, ...roleProblems(config), ...attributeProblems(config)];
}

const USUAL_ATTRIBUTES = 2_000;
/**
 * A transaction of DuckDB that writes 4,000 users took 161 KB for each column, and one that writes a single user 37 KB. The
 * tables of users and accounts are written together, and questions need memory too.
 */
const BYTES_PER_ATTRIBUTE = 512 * 1024;

/** More attributes than the memory of the embedded question engine can take would stop its writer for good. */
function attributeProblems({ maxAttributes, questionsMemoryBytes, clickhouseUrl }: CombinedSettings): string[] {
  if (clickhouseUrl !== undefined || maxAttributes === undefined || questionsMemoryBytes === undefined) return [];
  const most = Math.max(USUAL_ATTRIBUTES, Math.floor(questionsMemoryBytes / BYTES_PER_ATTRIBUTE));
  if (maxAttributes <= most) return [];
  return [
    `MAX_ATTRIBUTES of ${maxAttributes} needs QUESTIONS_MEMORY_BYTES of ${maxAttributes * BYTES_PER_ATTRIBUTE}: with ${questionsMemoryBytes}, the embedded question engine can hold ${most}.`,
  ];
}

/** What the roles of a process need besides it. */
function roleProblems({ roles, databaseUrl, clickhouseUrl }: CombinedSettings): string[] {
  if (roles === undefined || roles.includes("worker")) return [];
  const problems: string[] = [];
  if (databaseUrl === undefined) {
    problems.push(
      "ROLES without worker needs DATABASE_URL: no other process can work on what an embedded PostgreSQL holds.",
    );
  }
  const asking = rolesWithQuestions(roles);
  if (clickhouseUrl === undefined && asking.length > 0) {
    problems.push(
      `ROLES with ${asking.join(", ")} and without worker needs CLICKHOUSE_URL: the embedded question engine is inside the worker's process, and no other process can ask it. Add worker, or keep only gateway.`,
    );
  }
  return problems;
}
