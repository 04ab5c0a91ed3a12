import { Suspense } from "react";
import { lazyPart } from "../state/lazy-part.js";
import { CHART_FILE } from "./chart-file.js";
import type { TimeChartProps } from "./drawn-chart.js";

export type { Series } from "./drawn-chart.js";

const DrawnChart = lazyPart(CHART_FILE, "default");

/** Values over time, in the viewer's time zone. The drawing library is loaded with the first chart. */
export function TimeChart(props: TimeChartProps) {
  const { height = 180 } = props;
  return (
    <Suspense fallback={<div style={{ height: height + LEGEND_HEIGHT }} />}>
      <DrawnChart {...props} />
    </Suspense>
  );
}

/** What is below a chart does not move when the chart appears. */
const LEGEND_HEIGHT = 28;
