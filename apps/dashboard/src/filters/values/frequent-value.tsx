import { Progress, Text } from "@mantine/core";
import { formatNumber } from "../../ui/text/format.js";
import classes from "./frequent-value.module.css";
import type { FoundValue } from "./use-frequent-values.js";

interface FrequentValueProps {
  text: string;
  found: FoundValue | undefined;
  /** What is said about a value that was not found. */
  note?: string;
}

/** A value with how many have it, as a number and as a bar. */
export function FrequentValue({ text, found, note }: FrequentValueProps) {
  return (
    <span className={classes.option}>
      <span className={classes.text}>{text}</span>
      {found ? (
        <>
          <Progress value={found.share * 100} size={4} className={classes.bar} aria-hidden />
          <Text component="span" size="xs" c="dimmed">
            {formatNumber(found.count)}
          </Text>
        </>
      ) : note ? (
        <Text component="span" size="xs" c="var(--late)" className={classes.note}>
          {note}
        </Text>
      ) : null}
    </span>
  );
}
