import { Tooltip } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useHealth } from "../../api/organization/use-health.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { formatDuration } from "../../ui/text/format.js";
import { type Status, StatusDot } from "../../ui/text/status-dot.js";
import classes from "./shell.module.css";

const STATUS_OF: Record<string, Status> = { ok: "good", late: "late", broken: "bad" };

/** How the server is doing, as one dot with a sentence. */
export function HealthDot() {
  const { id: org } = useOrganization();
  const { data, isError } = useHealth();
  if (isError) return <StatusDot status="bad">The server does not answer</StatusDot>;
  if (!data) return <StatusDot status="unknown">Health is not known yet</StatusDot>;
  const words = data.state === "ok" ? "Healthy" : "Late";
  const lag = data.behind_ms > 1_000 ? `, ${formatDuration(data.behind_ms)} behind` : ", fresh";
  return (
    <Tooltip label={data.message} position="top-start">
      <Link to="/o/$org" params={{ org }} activeOptions={{ exact: true }} className={classes.health}>
        <StatusDot status={STATUS_OF[data.state] ?? "unknown"}>
          <span className={classes.sentence}>{data.state === "broken" ? data.message : `${words}${lag}`}</span>
        </StatusDot>
      </Link>
    </Tooltip>
  );
}
