import { lazyFile } from "../state/lazy-file.js";

/** The drawing of time charts, with its library. */
export const CHART_FILE = lazyFile(() => import("./drawn-chart.js"));
