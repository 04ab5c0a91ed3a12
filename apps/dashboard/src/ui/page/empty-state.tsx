import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./empty-state.module.css";

/** Says why a place is empty and what to do next. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <Stack align="flex-start" gap="xs" maw={560} className={classes.empty}>
      <Title order={2}>{title}</Title>
      {children ? <Text c="dimmed">{children}</Text> : null}
      {action}
    </Stack>
  );
}
