import type { ReactNode } from "react";
import classes from "./filter-bar.module.css";

/** The line above a table with what chooses its rows. */
export function FilterBar({ children }: { children: ReactNode }) {
  return <div className={classes.bar}>{children}</div>;
}
