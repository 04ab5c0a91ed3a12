import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./empty-state.module.css";

interface EmptyStateProps {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** The level of its heading: 1 when it is the whole page. */
  level?: 1 | 2;
}

/** Says why a place is empty and what to do next. */
export function EmptyState({ title, children, action, level = 2 }: EmptyStateProps) {
  return (
    <Stack align="flex-start" gap="xs" maw={560} className={classes.empty}>
      <Title order={level}>{title}</Title>
      {children ? <Text c="dimmed">{children}</Text> : null}
      {action}
    </Stack>
  );
}
