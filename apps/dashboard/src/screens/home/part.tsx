import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface PartProps {
  /** Its place in the grid of the screen. */
  place: string;
  title: string;
  beside?: ReactNode;
  children: ReactNode;
}

/** A part of the screen with a title, and on the right what the figures are about. */
export function Part({ place, title, beside, children }: PartProps) {
  return (
    <section data-part={place} aria-label={title}>
      <Group justify="space-between" align="baseline" mb="xs" gap="xs">
        <Title order={2}>{title}</Title>
        {beside ? (
          <Text c="dimmed" size="xs" component="div">
            {beside}
          </Text>
        ) : null}
      </Group>
      {children}
    </section>
  );
}
