import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMovingSegments } from "../../api/organization/use-overview.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { Sparkline } from "../../ui/charts/sparkline.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { formatCount, formatNumber } from "../../ui/text/format.js";
import classes from "./list.module.css";
import { Part } from "./part.js";

/** The segments that most users or accounts entered or left in the last 24 hours. */
export function MovingSegments() {
  const { id: org } = useOrganization();
  const { data, error, refetch } = useMovingSegments();
  return (
    <Part place="segments" title="Segments that moved most" beside="the last 24 hours">
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data?.length === 0 ? <Text c="dimmed">Nobody entered or left a segment.</Text> : null}
      <ul className={classes.list}>
        {data?.map(({ id, name, subject_type, size, entered, left, sizes }) => (
          <li key={id} className={classes.row}>
            <div className={classes.grow}>
              <Link to="/o/$org/segments/$id" params={{ org, id }} className={classes.name}>
                {name}
              </Link>
              <Text c="dimmed" size="xs">
                {formatCount(size, subject_type)}
              </Text>
            </div>
            <Sparkline
              values={sizes}
              label={`Size over 30 days: from ${formatNumber(sizes[0] ?? 0)} to ${formatNumber(size)}`}
            />
            <span className={classes.figures}>
              {entered > 0 ? <span className={classes.up}>+{formatNumber(entered)}</span> : null}{" "}
              {left > 0 ? <span className={classes.down}>−{formatNumber(left)}</span> : null}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}
