import { Tooltip } from "@mantine/core";
import { formatDuration, formatTime } from "../text/format.js";
import { StatusDot } from "../text/status-dot.js";

/** Below this, nobody could tell the difference. */
const FRESH_MS = 1_000;

interface FreshnessProps {
  /** How far the data is behind the last record that was accepted; undefined when that is not known. */
  behindMs: number | undefined;
  /** When the answer was read. */
  asOf?: number | undefined;
}

/** Says as of when a number is true: "fresh", or how far it is behind. */
export function Freshness({ behindMs, asOf }: FreshnessProps) {
  const status = behindMs === undefined ? "unknown" : behindMs <= FRESH_MS ? "good" : "late";
  const text =
    behindMs === undefined
      ? "freshness unknown"
      : behindMs <= FRESH_MS
        ? "fresh"
        : `${formatDuration(behindMs)} behind`;
  return (
    <Tooltip label={asOf === undefined ? text : `Read at ${formatTime(asOf)}`}>
      <span>
        <StatusDot status={status}>{text}</StatusDot>
      </span>
    </Tooltip>
  );
}
