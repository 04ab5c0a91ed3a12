import type { ReactNode } from "react";
import { formatNumber, formatShare } from "../text/format.js";
import classes from "./value-bars.module.css";

interface ValueBar {
  key: string;
  label: ReactNode;
  count: number;
}

/** Values with how often each occurs, the share of all as a bar behind it. */
export function ValueBars({ bars, total }: { bars: readonly ValueBar[]; total: number }) {
  return (
    <ul className={classes.list}>
      {bars.map(({ key, label, count }) => (
        <li key={key} className={classes.row}>
          <span className={classes.label}>{label}</span>
          <svg className={classes.bar} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden>
            <rect className={classes.filled} width={total === 0 ? 0 : (count / total) * 100} height={8} />
          </svg>
          <span className={classes.count}>{formatNumber(count)}</span>
          <span className={classes.share}>{formatShare(total === 0 ? 0 : count / total)}</span>
        </li>
      ))}
    </ul>
  );
}
