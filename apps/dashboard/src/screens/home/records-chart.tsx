import type { Overview } from "@muster/protocol/api/overview";
import { useMemo } from "react";
import { TimeChart } from "../../ui/charts/time-chart.js";
import { formatCount } from "../../ui/text/format.js";
import { Part } from "./part.js";

/** Accepted records in each of the last sixty minutes. */
export function RecordsChart({ minutes }: { minutes: Overview["intake"]["minutes"] }) {
  const times = useMemo(() => minutes.map(({ at }) => Date.parse(at)), [minutes]);
  const series = useMemo(
    () => [{ name: "Records", values: minutes.map(({ count }) => count), kind: "bars" as const }],
    [minutes],
  );
  const total = formatCount(
    minutes.reduce((sum, { count }) => sum + count, 0),
    "record",
  );
  return (
    <Part place="records" title="Records by the minute" beside={`${total} in the last hour`}>
      <TimeChart
        times={times}
        series={series}
        height={170}
        label={`Records by the minute: ${total} in the last hour`}
      />
    </Part>
  );
}
