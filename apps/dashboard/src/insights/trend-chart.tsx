import type { TrendAnswer } from "@muster/protocol/api/insights";
import { useMemo } from "react";
import { type Series, TimeChart } from "../ui/charts/time-chart.js";
import { colourOf } from "./insight-colours.js";
import { lineWords, type TrendSeries } from "./insight-words.js";

interface TrendChartProps {
  asked: readonly TrendSeries[];
  answer: TrendAnswer;
  segmentNames: ReadonlyMap<string, string>;
  kind?: "line" | "bars";
  height?: number;
  label: string;
}

/** The lines or bars of a trend; the time before is a thinner companion of each line. */
export function TrendChart({ asked, answer, segmentNames, kind = "line", height = 260, label }: TrendChartProps) {
  const drawn = useMemo(() => {
    const times = answer.series[0]?.points.map(({ at }) => Date.parse(at)) ?? [];
    const series: Series[] = answer.series.map((one, place) => ({
      name: lineWords(asked, one, segmentNames),
      values: one.points.map(({ value }) => value),
      colour: colourOf(place),
      kind,
    }));
    const before: Series[] = (answer.previous?.series ?? []).map((one) => ({
      name: `${lineWords(asked, one, segmentNames)}, before`,
      values: times.map((_, place) => one.points[place]?.value ?? null),
      colour: "--mantine-color-gray-5",
      kind: "line",
    }));
    return { times, series: [...series, ...before] };
  }, [asked, answer, segmentNames, kind]);
  return <TimeChart times={drawn.times} series={drawn.series} height={height} label={label} />;
}
