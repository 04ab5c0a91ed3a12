import type { ReactNode } from "react";
import classes from "./rows.module.css";

/** Names with their values, divided by thin lines. */
export function Rows({ children }: { children: ReactNode }) {
  return <dl className={classes.rows}>{children}</dl>;
}

function Row({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.row}>
      <dt className={classes.name}>{name}</dt>
      <dd className={classes.value}>{children}</dd>
    </div>
  );
}

Rows.Row = Row;
