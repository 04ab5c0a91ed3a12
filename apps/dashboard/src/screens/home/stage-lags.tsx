import { Tooltip } from "@mantine/core";
import type { Overview } from "@muster/protocol/api/overview";
import { formatCount, formatDuration, formatNumber } from "../../ui/text/format.js";
import { type Status, StatusDot } from "../../ui/text/status-dot.js";
import classes from "./list.module.css";
import { Part } from "./part.js";
import { STAGE_NAMES } from "./worst-lag.js";

const LATE_MS = 5_000;

/** How long records take in each stage, as measured, and how long the oldest one waits now. */
export function StageLags({ lag }: { lag: Overview["lag"] }) {
  const waiting =
    lag.waiting_records > 0
      ? `${formatCount(lag.waiting_records, "record")} ${lag.waiting_records === 1 ? "waits" : "wait"}`
      : "the last 5 minutes";
  return (
    <Part place="lag" title="Lag of each stage" beside={waiting}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Stage</th>
            <th scope="col">Half within</th>
            <th scope="col">95 % within</th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {lag.stages.map(({ stage, records, p50_ms, p95_ms, behind_ms }) => (
            <tr key={stage}>
              <td>
                <Tooltip label={`${STAGE_NAMES[stage].meaning}; ${formatNumber(records)} measured`}>
                  <span>
                    <StatusDot status={statusOf(p95_ms, behind_ms)}>{STAGE_NAMES[stage].name}</StatusDot>
                  </span>
                </Tooltip>
              </td>
              <td>{durationOf(p50_ms)}</td>
              <td>{durationOf(p95_ms)}</td>
              <td>{behind_ms > 0 ? `${formatDuration(behind_ms)} behind` : "up to date"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Part>
  );
}

function statusOf(p95: number | null, behind: number): Status {
  if (Math.max(p95 ?? 0, behind) > LATE_MS) return "late";
  return p95 === null && behind === 0 ? "unknown" : "good";
}

function durationOf(ms: number | null): string {
  return ms === null ? "–" : formatDuration(ms);
}
