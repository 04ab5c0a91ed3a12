import { formatShare } from "../text/format.js";
import classes from "./share-bar.module.css";

/** A share as a bar with its percentage. */
export function ShareBar({ share, label }: { share: number; label?: string }) {
  return (
    <span className={classes.share}>
      <svg className={classes.bar} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden>
        <rect className={classes.ground} width={100} height={8} />
        <rect className={classes.filled} width={share * 100} height={8} />
      </svg>
      <span>{label ?? formatShare(share)}</span>
    </span>
  );
}
