import { Button, Group, Text, Tooltip } from "@mantine/core";
import type { CatalogueEntry } from "@muster/protocol/api/catalogue";
import { useMay } from "../../../api/session/use-organization.js";
import { ConnectorPicture } from "../../../settings-form/connector-image.js";
import classes from "./gallery.module.css";

interface GalleryEntryProps {
  entry: CatalogueEntry;
  isInstalling: boolean;
  onOpen: () => void;
  onInstall: () => void;
}

/** A connector that can be installed. The server runs those that come with it, so they have no address to show. */
export function GalleryEntry({ entry, isInstalling, onOpen, onInstall }: GalleryEntryProps) {
  const { name, description, source_url: sourceUrl, manifest_url: manifestUrl, image, bundled } = entry;
  const isOwner = useMay("owner");
  return (
    <li className={classes.entry}>
      <ConnectorPicture owner={{ manifestUrl }} src={image ?? undefined} name={name} />
      <div>
        <Text fw={500}>{name}</Text>
        {description ? <Text c="dimmed">{description}</Text> : null}
        {bundled ? null : (
          <Text size="xs" c="dimmed">
            {sourceUrl}
          </Text>
        )}
      </div>
      <Group gap="xs" wrap="nowrap">
        <Button variant="default" aria-label={`Look at it: ${name}`} onClick={onOpen}>
          Look at it
        </Button>
        <Tooltip label="Only owners can install connectors." disabled={isOwner}>
          <Button disabled={!isOwner} loading={isInstalling} aria-label={`Install ${name}`} onClick={onInstall}>
            Install
          </Button>
        </Tooltip>
      </Group>
    </li>
  );
}
