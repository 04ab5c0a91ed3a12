import "uplot/dist/uPlot.min.css";
import { useMantineColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { formatCompact, formatNumber, formatTime } from "../text/format.js";
import classes from "./time-chart.module.css";

export interface Series {
  name: string;
  /** One value for each time; null where nothing is known. */
  values: readonly (number | null)[];
  /** A colour variable of the theme, such as `--good-fill`. */
  colour?: string;
  kind?: "line" | "bars";
}

export interface TimeChartProps {
  /** Milliseconds since 1970, ascending. */
  times: readonly number[];
  series: readonly Series[];
  height?: number;
  /** What the chart shows, for people who cannot see it. */
  label: string;
}

export default function DrawnChart({ times, series, height = 180, label }: TimeChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const { colorScheme } = useMantineColorScheme();
  // New values do not need a new chart: live data would make it flicker.
  const look = JSON.stringify(series.map(({ name, colour, kind }) => [name, colour, kind]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the page, whose scheme may change
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const drawn = new uPlot(optionsOf(element, series, height), dataOf(times, series), element);
    chart.current = drawn;
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      drawn.destroy();
    };
  }, [look, height, colorScheme]);
  useEffect(() => {
    chart.current?.setData(dataOf(times, series));
  }, [times, series]);
  return <div ref={place} className={classes.chart} role="img" aria-label={label} />;
}

function dataOf(times: readonly number[], series: readonly Series[]): uPlot.AlignedData {
  return [times.map((time) => time / 1_000), ...series.map(({ values }) => [...values])];
}

function optionsOf(element: HTMLElement, series: readonly Series[], height: number): uPlot.Options {
  const style = getComputedStyle(element);
  const colourOf = (name: string) => style.getPropertyValue(name).trim();
  const hasBars = series.some(({ kind }) => kind === "bars");
  const axis = {
    stroke: colourOf("--mantine-color-dimmed"),
    grid: { stroke: colourOf("--line"), width: 1 },
    ticks: { show: false },
    font: `11px ${style.fontFamily}`,
  };
  return {
    width: element.clientWidth,
    height,
    cursor: { drag: { x: false, y: false } },
    legend: { show: true, live: true },
    scales: {
      ...(hasBars ? { x: { range: withRoomForBars } } : {}),
      y: { range: (_chart, _lowest, highest) => [0, Math.max(highest * 1.1, 1)] },
    },
    // At the right there is room for half of the last word of the time axis.
    padding: [8, 24, 0, 0],
    axes: [
      { ...axis, size: 28, space: 72, values: (_chart, splits) => timesOf(splits) },
      { ...axis, size: 44, values: (_chart, splits) => splits.map((value) => formatCompact(value)) },
    ],
    series: [
      { label: "Time", value: (_chart: uPlot, time: number | null) => (time === null ? "" : formatTime(time * 1_000)) },
      ...series.map(({ name, colour = "--accent-fill", kind = "line" }, index) => ({
        label: name,
        value: (_chart: uPlot, value: number | null) => (value === null ? "–" : formatNumber(value)),
        stroke: colourOf(colour),
        width: kind === "bars" ? 0 : 1.5,
        points: { show: false },
        ...(kind === "bars" ? { fill: colourOf(colour), paths: barsOf(index, series) } : {}),
      })),
    ] as uPlot.Series[],
  };
}

/** The bars of a series. Those of several series stand beside one another, not in front. */
function barsOf(index: number, series: readonly Series[]): uPlot.Series.PathBuilder | undefined {
  const isBars = ({ kind }: Series) => kind === "bars";
  const together = series.filter(isBars).length;
  if (together === 1) return uPlot.paths.bars?.({ size: [0.8, 24] });
  const place = series.slice(0, index).filter(isBars).length;
  return (chart, at, from, to) => {
    const [times] = chart.data;
    const xOf = (point: number) => chart.valToPos(times[point] ?? 0, "x", true);
    const step = times.length < 2 ? chart.bbox.width : (xOf(times.length - 1) - xOf(0)) / (times.length - 1);
    const width = Math.min((step * 0.8) / together, 24 * uPlot.pxRatio);
    const ground = chart.valToPos(0, "y", true);
    const fill = new Path2D();
    for (let point = from; point <= to; point++) {
      const top = chart.valToPos(chart.data[at]?.[point] ?? 0, "y", true);
      fill.rect(xOf(point) + (place - together / 2) * width, top, width, ground - top);
    }
    return { fill };
  };
}

/** A bar stands over its time: without half a step at both ends, half of the first and of the last would be cut off. */
function withRoomForBars({ data: [times] }: uPlot, first: number, last: number): [number, number] {
  if (times.length === 0) return [first, last];
  const half = times.length === 1 ? DAY_SECONDS / 2 : (last - first) / (times.length - 1) / 2;
  return [first - half, last + half];
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const DAY_SECONDS = 86_400;

/** The marks of the time axis, in seconds, as the viewer's language writes them: days when they are a day apart. */
function timesOf(splits: readonly number[]): string[] {
  const [first = 0, second = first + DAY_SECONDS] = splits;
  const format = second - first >= DAY_SECONDS / 2 ? day : clock;
  return splits.map((time) => format.format(time * 1_000));
}
