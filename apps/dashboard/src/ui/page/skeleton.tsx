import classes from "./skeleton.module.css";

/** The place of a part that is being read: grey lines that appear when it takes longer than a moment. */
export function PageSkeleton({ lines = 6 }: { lines?: number }) {
  return (
    <div className={classes.lines} aria-busy aria-label="Loading" role="status">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike and never change
        <div key={line} className={classes.line} />
      ))}
    </div>
  );
}
