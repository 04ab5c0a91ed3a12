import { join } from "node:path";
import { createGuardedFetch } from "../outbound/guarded-fetch.js";
import { createTrustedFetch } from "../outbound/trusted-fetch.js";
import type { Config } from "../runtime/config.js";
import type { S3Options } from "../storage/files/s3-files.js";
import { Jobs, type JobsOptions } from "./jobs.js";

export type JobsParts = Pick<
  JobsOptions,
  | "database"
  | "questions"
  | "pipeline"
  | "apply"
  | "connectors"
  | "addresses"
  | "logger"
  | "metrics"
  | "secretKey"
  | "exportHandler"
  | "holder"
>;

/** Jobs as the settings say; `close` gives back what runs. */
export function openJobs(config: Config, parts: JobsParts): { jobs: Jobs; close(): Promise<void> } {
  const trustedFetch = createTrustedFetch();
  const jobs = new Jobs({
    ...parts,
    guardedFetch: createGuardedFetch({ allowPrivateNetwork: config.allowPrivateNetwork }),
    trustedFetch,
    folder: join(config.dataDir, "files"),
    bucket: bucketOf(config),
    importMaxBytes: config.importMaxBytes,
    extractRetentionDays: config.extractRetentionDays,
    slots: config.jobSlots,
  });
  return {
    jobs,
    async close() {
      await jobs.stop();
      trustedFetch.close();
    },
  };
}

function bucketOf(config: Config): S3Options | undefined {
  const { s3Endpoint: endpoint, s3Bucket: bucket, s3Region: region } = config;
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  if (!endpoint || !bucket || !accessKeyId || !secretAccessKey) return undefined;
  return { endpoint, bucket, region, accessKeyId, secretAccessKey };
}
