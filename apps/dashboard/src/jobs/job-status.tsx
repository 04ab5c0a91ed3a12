import type { Job } from "@muster/protocol/api/jobs";
import { StatusDot } from "../ui/text/status-dot.js";

const STATUS: Record<Job["status"], { dot: "good" | "late" | "bad" | "unknown"; words: string }> = {
  scheduled: { dot: "unknown", words: "waiting" },
  running: { dot: "late", words: "running" },
  completed: { dot: "good", words: "done" },
  failed: { dot: "bad", words: "failed" },
  canceled: { dot: "unknown", words: "canceled" },
};

/** How a job is, in a word. */
export function JobStatus({ status }: Pick<Job, "status">) {
  const { dot, words } = STATUS[status];
  return <StatusDot status={dot}>{words}</StatusDot>;
}
