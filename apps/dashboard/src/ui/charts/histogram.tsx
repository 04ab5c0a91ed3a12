import { formatNumber } from "../text/format.js";
import classes from "./histogram.module.css";

interface HistogramProps {
  bars: readonly { label: string; count: number }[];
  /** What the bars show, for people who cannot see them. */
  label: string;
}

const HEIGHT = 64;

/** Bars of equal width without axes; the first and the last value below, each bar's own on hover. */
export function Histogram({ bars, label }: HistogramProps) {
  const highest = Math.max(1, ...bars.map(({ count }) => count));
  const width = 100 / Math.max(1, bars.length);
  return (
    <figure className={classes.figure} aria-label={label}>
      <svg className={classes.bars} viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" role="img">
        <title>{label}</title>
        {bars.map(({ label: from, count }, index) => {
          const height = count === 0 ? 0 : Math.max(1, (count / highest) * HEIGHT);
          return (
            <rect key={from} x={index * width} y={HEIGHT - height} width={width * 0.85} height={height}>
              <title>{`${from}: ${formatNumber(count)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className={classes.ends}>
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </figcaption>
    </figure>
  );
}
