import { Button, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./gallery.module.css";

interface GalleryEntryProps {
  picture: ReactNode;
  name: string;
  description: string;
  /** Where it runs. */
  detail: string;
  isDisabled: boolean;
  onOpen: () => void;
}

export function GalleryEntry({ picture, name, description, detail, isDisabled, onOpen }: GalleryEntryProps) {
  return (
    <li className={classes.entry}>
      {picture}
      <div>
        <Text fw={500}>{name}</Text>
        {description === "" ? null : <Text c="dimmed">{description}</Text>}
        <Text size="xs" c="dimmed">
          {detail}
        </Text>
      </div>
      <Button variant="default" disabled={isDisabled} aria-label={`Look at it: ${name}`} onClick={onOpen}>
        Look at it
      </Button>
    </li>
  );
}
