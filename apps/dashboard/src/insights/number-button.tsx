import type { InsightNumber } from "@muster/protocol/api/insights";
import type { ReactNode } from "react";
import classes from "./insights.module.css";

/** A number of an insight, and what it says in words. */
export interface ChosenNumber {
  number: InsightNumber;
  title: string;
}

/** Opens the list under a number. Cards of the home have none. */
export type OpenNumber = ((chosen: ChosenNumber) => void) | undefined;

interface NumberButtonProps extends ChosenNumber {
  onOpen: OpenNumber;
  children: ReactNode;
}

/** A number that leads to the users behind it. */
export function NumberButton({ number, title, onOpen, children }: NumberButtonProps) {
  if (!onOpen) return <span>{children}</span>;
  return (
    <button type="button" className={classes.number} aria-label={title} onClick={() => onOpen({ number, title })}>
      {children}
    </button>
  );
}
