import { Tooltip } from "@mantine/core";
import type { Segment } from "@muster/protocol/api/segments";
import { formatDuration } from "../../ui/text/format.js";
import { StatusDot } from "../../ui/text/status-dot.js";
import classes from "./segments.module.css";

// A segment whose filter names the present time is evaluated several times a minute.
const LATE_SECONDS = 90;

/** Whether the members are those of the filter, and up to date. */
export function SegmentStatus({
  segment: { status, error, evaluated, evaluated_at, stale_seconds },
}: {
  segment: Segment;
}) {
  if (status === "broken") return <NotedStatus dot="bad" text="broken" note={error ?? ""} />;
  if (!evaluated) return <NotedStatus dot="late" text="evaluating" note={evaluatingNote(evaluated_at)} />;
  const age = formatDuration(stale_seconds * 1_000);
  if (stale_seconds > LATE_SECONDS) {
    const note = `Records move their users and accounts at once. Those whom the time alone moves were last looked for ${age} ago.`;
    return <NotedStatus dot="late" text={`${age} behind`} note={note} />;
  }
  const note = stale_seconds === 0 ? "Records keep it up to date." : `Everybody was looked at ${age} ago.`;
  return <NotedStatus dot="good" text="works" note={note} />;
}

function evaluatingNote(evaluatedAt: string | null): string {
  return evaluatedAt === null
    ? "Its members are being found. Nobody has been compared with it yet."
    : "Its members are being found. Those of the filter before are in it until then.";
}

function NotedStatus({ dot, text, note }: { dot: "good" | "late" | "bad"; text: string; note: string }) {
  return (
    <Tooltip label={note} multiline maw={320}>
      <span className={classes.status}>
        <StatusDot status={dot}>{text}</StatusDot>
      </span>
    </Tooltip>
  );
}
