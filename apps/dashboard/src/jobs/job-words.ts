import type { Job } from "@muster/protocol/api/jobs";
import { formatCount, formatDuration, formatNumber, formatTime } from "../ui/text/format.js";

const NOUNS: Record<Job["object"], string> = { users: "user", accounts: "account", events: "event" };

/** @example jobTitle({ type: "import", object: "users" }) // "Import of users" */
export function jobTitle({ type, object, dry_run }: Pick<Job, "type" | "object" | "dry_run">): string {
  if (dry_run) return `Dry run of ${type === "revert" ? "an undo" : object}`;
  const verb = { import: "Import", extract: "File", export: "Sent", rewrite: "Change", revert: "Undo" }[type];
  return verb + (type === "export" ? ` ${object}` : ` of ${object}`);
}

/** How the server ends the name of a job that deletes an attribute, and of one that converts it. */
const DELETION = / deleted$/;
const CONVERSION = /: \w+ to \w+$/;

/** What a change of an attribute, or of a name of events, has done. */
export function rewriteSentence({ name, object, result }: Pick<Job, "name" | "object" | "result">): string {
  // Those that could not be converted are among the changed ones.
  const { changed = 0, lost = 0 } = (result ?? {}) as { changed?: number; lost?: number };
  if (object === "events") return `${name}: ${formatCount(changed, "event")} renamed.`;
  if (DELETION.test(name)) {
    return `${name.replace(DELETION, "")}: ${formatCount(changed, "value")} of ${object} deleted.`;
  }
  const done = `${name.replace(CONVERSION, "")}: ${formatCount(changed - lost, "value")} of ${object} converted`;
  return lost === 0
    ? `${done}.`
    : `${done}, ${formatCount(lost, "value")} could not be and ${lost === 1 ? "is" : "are"} gone.`;
}

/** What a job has done that was canceled on its way. */
export function canceledSentence({ type, object, progress, dry_run }: Job): string {
  const done = formatCount(progress.processed, type === "import" ? "row" : NOUNS[object]);
  if (dry_run) return "Canceled. Nothing was changed.";
  if (type === "import") return `Canceled after ${done}. What was imported so far stays.`;
  if (type === "export") return `Canceled after ${done}. What was handed over so far stays there.`;
  if (type === "revert") return "Canceled. What was undone so far stays undone.";
  return type === "extract" ? "Canceled. No file was written." : "Canceled.";
}

/** What an import would do, or has done, in one sentence. */
export function importSentence({ object, result, progress, dry_run }: Job): string {
  const noun = NOUNS[object];
  const figures = (result ?? {}) as { records?: number; new?: number; updated?: number; refused?: number };
  if (object === "events") {
    const refused = figures.refused ?? progress.rejected;
    const taken = (figures.records ?? progress.processed) - refused;
    return `${formatCount(taken, "event")}, ${refusedWords(refused)}.`;
  }
  if (dry_run) {
    return `${formatNumber(figures.new ?? 0)} new ${plural(figures.new ?? 0, noun)}, ${formatNumber(figures.updated ?? 0)} updated, ${refusedWords(figures.refused ?? 0)}.`;
  }
  return `${formatCount(progress.processed, "row")} read, ${refusedWords(progress.rejected)}.`;
}

function refusedWords(refused: number): string {
  return refused === 0 ? "none refused" : `${formatNumber(refused)} refused`;
}

function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}

export interface Pace {
  /** From 0 to 1; undefined when the whole is not known. */
  share: number | undefined;
  /** Records a second. */
  perSecond: number | undefined;
  /** Milliseconds until the end, at this pace. */
  leftMs: number | undefined;
}

/** How fast a job runs and when it should end, from what it has done so far. */
export function paceOf({ progress, started_at }: Pick<Job, "progress" | "started_at">, now: number): Pace {
  const { processed, total, processed_bytes, total_bytes } = progress;
  const share =
    total !== null && total > 0
      ? Math.min(processed / total, 1)
      : total_bytes !== null && total_bytes > 0
        ? Math.min(processed_bytes / total_bytes, 1)
        : undefined;
  const elapsedMs = started_at === null ? 0 : now - new Date(started_at).getTime();
  if (elapsedMs < 500 || processed === 0) return { share, perSecond: undefined, leftMs: undefined };
  return {
    share,
    perSecond: (processed / elapsedMs) * 1_000,
    leftMs: share === undefined || share === 0 ? undefined : (elapsedMs * (1 - share)) / share,
  };
}

/** @example "12,000 of 50,000 · 8,000 a second · 5 s left" */
export function progressWords(
  job: Pick<Job, "progress" | "started_at" | "scheduled_at" | "status">,
  now: number,
): string {
  const { processed, total } = job.progress;
  if (job.status === "scheduled") {
    const isLater = Date.parse(job.scheduled_at) > now;
    return isLater ? `begins at ${formatTime(job.scheduled_at)}` : "waits for its turn";
  }
  const { perSecond, leftMs } = paceOf(job, now);
  return [
    total === null ? formatCount(processed, "row") : `${formatNumber(processed)} of ${formatNumber(total)}`,
    ...(perSecond === undefined ? [] : [`${formatNumber(Math.round(perSecond))} a second`]),
    ...(leftMs === undefined ? [] : [`${formatDuration(Math.max(1_000, Math.ceil(leftMs / 1_000) * 1_000))} left`]),
  ].join(" · ");
}
