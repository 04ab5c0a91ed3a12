export type JobType = "import" | "extract" | "export";

export type JobObject = "users" | "accounts" | "events";

export const JOB_STATUSES = ["scheduled", "running", "completed", "failed", "canceled"] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

export interface JobProgress {
  processed: number;
  /** Records in all, once that is known. */
  total: number | null;
  rejected: number;
  processedBytes: number;
  totalBytes: number | null;
}

/** One import or extract. `Parameters` and `Checkpoint` are what its type stores and reads back. */
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
  connectorId: string;
  parameters: unknown;
  dueAt?: Date | undefined;
}
