import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./status-dot.module.css";

export type Status = "good" | "late" | "bad" | "unknown";

/** A coloured dot with the sentence that says the same. */
export function StatusDot({ status, children }: { status: Status; children: ReactNode }) {
  return (
    <Group gap={8} wrap="nowrap" align="center">
      <span className={classes.dot} data-status={status} aria-hidden />
      <Text component="span" size="sm">
        {children}
      </Text>
    </Group>
  );
}
