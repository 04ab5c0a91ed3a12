import type { SubjectType } from "@muster/protocol";
import type { JobObject, Job as JobRecord } from "@muster/protocol/api/jobs";
import type { Target } from "@muster/query";

export type { JobObject };
export type JobType = JobRecord["type"];
export type JobStatus = JobRecord["status"];

export interface JobProgress {
  processed: number;
  /** All records, once their number is known. */
  total: number | null;
  rejected: number;
  processedBytes: number;
  totalBytes: number | null;
}

/** One import, extract or export. `Parameters` and `Checkpoint` are what a job of its type stores and reads back. */
export interface Job<Parameters = unknown, Checkpoint = unknown> {
  id: string;
  organizationId: string;
  type: JobType;
  object: JobObject;
  status: JobStatus;
  name: string;
  description: string;
  connectorId: string;
  parameters: Parameters;
  /** The address it was requested with, sealed; null when it has none, or that of an upload, which is a parameter. */
  sealedUrl: Buffer | null;
  dueAt: Date;
  attempts: number;
  checkpoint: Checkpoint;
  progress: JobProgress;
  result: Record<string, unknown> | null;
  error: string | null;
  file: { bytes: number; expiresAt: Date } | null;
  callback: { dueAt: Date | null; attempts: number; error: string | null; calledAt: Date | null };
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

export interface NewJob {
  type: JobType;
  object: JobObject;
  name: string;
  description?: string;
  /** The connector that the job acts for; empty when the operator started it. */
  connectorId: string;
  parameters: unknown;
  dueAt?: Date | undefined;
}

const TARGETS: Record<JobObject, Target> = { users: "user", accounts: "account", events: "event" };

/** What the query of an extract is about. */
export function targetOf(object: JobObject): Target {
  return TARGETS[object];
}

/** The subjects that the records of a job are about. Events are about users. */
export function subjectTypeOf(object: JobObject): SubjectType {
  return object === "accounts" ? "account" : "user";
}
