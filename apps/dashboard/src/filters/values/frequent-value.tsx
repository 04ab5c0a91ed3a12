import { Progress, Text } from "@mantine/core";
import { formatNumber } from "../../ui/text/format.js";
import classes from "./frequent-value.module.css";
import type { FoundValue } from "./use-frequent-values.js";

/** A value with how many have it, as a number and as a bar. */
export function FrequentValue({ text, found }: { text: string; found: FoundValue | undefined }) {
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
      ) : null}
    </span>
  );
}
