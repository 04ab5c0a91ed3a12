import { Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import classes from "./sign-in-frame.module.css";

/** The frame of the screens that people see before they are signed in. */
export function SignInFrame({ title, children }: { title: string; children: ReactNode }) {
  useDocumentTitle(`${title} · Muster`);
  return (
    <main className={classes.frame}>
      <Stack className={classes.column} gap="md">
        <Text fw={600} c="dimmed">
          Muster
        </Text>
        <Title order={1}>{title}</Title>
        {children}
      </Stack>
    </main>
  );
}
