import { Button, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useCatalogue, useLookAtManifest } from "../../../api/connectors/use-catalogue.js";
import { useMay } from "../../../api/session/use-organization.js";
import { ConnectorPicture } from "../../../settings-form/connector-image.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { CataloguePanel } from "./catalogue-panel.js";
import classes from "./gallery.module.css";
import { GalleryEntry } from "./gallery-entry.js";
import { SHIPPED_CONNECTORS, type ShippedConnector, startCommand } from "./shipped-connectors.js";

/** The connectors that can be installed: those of Muster, those that were seen before, and any other by its address. */
export function Gallery() {
  const isOwner = useMay("owner");
  const [shown, setShown] = useUrlState("manifest");
  const [address, setAddress] = useState("");
  const [asked, setAsked] = useState<ShippedConnector>();
  const { data: seen = [], error, refetch } = useCatalogue();
  const look = useLookAtManifest();
  const lookAt = (url: string, shipped?: ShippedConnector) => {
    setAsked(shipped);
    look.mutate(url, { onSuccess: (manifestUrl) => setShown(manifestUrl) });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (address.trim() !== "") lookAt(address.trim());
  };
  return (
    <Stack gap="xl" maw={880}>
      <form onSubmit={submit}>
        <Group gap="xs" align="flex-end">
          <TextInput
            label="Address of a connector or its manifest"
            description={
              isOwner
                ? "Its manifest is fetched and shown. Nothing is installed yet."
                : "Only owners can look at new connectors."
            }
            placeholder="https://connector.example.com"
            value={address}
            disabled={!isOwner}
            className={classes.address}
            onChange={({ currentTarget }) => setAddress(currentTarget.value)}
          />
          <Button type="submit" disabled={!isOwner || address.trim() === ""} loading={look.isPending}>
            Look at it
          </Button>
        </Group>
      </form>
      {look.error ? (
        <div>
          <ErrorNote error={look.error} />
          {asked ? (
            <Text mt="xs">
              Is it running? Start it with <code>{startCommand(asked)}</code>, or give the address where it runs above.
            </Text>
          ) : null}
        </div>
      ) : null}
      <section aria-label="Connectors that come with Muster">
        <Title order={2}>Come with Muster</Title>
        <ul className={classes.list}>
          {SHIPPED_CONNECTORS.map((shipped) => (
            <GalleryEntry
              key={shipped.folder}
              picture={<ConnectorPicture owner={{ manifestUrl: shipped.url }} src={undefined} name={shipped.name} />}
              name={shipped.name}
              description={shipped.description}
              detail={shipped.url}
              isDisabled={!isOwner}
              onOpen={() => {
                setAddress(shipped.url);
                lookAt(shipped.url, shipped);
              }}
            />
          ))}
        </ul>
      </section>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {seen.length > 0 ? (
        <section aria-label="Connectors that were seen before">
          <Title order={2}>Seen before</Title>
          <ul className={classes.list}>
            {seen.map((entry) => (
              <GalleryEntry
                key={entry.manifest_url}
                picture={
                  <ConnectorPicture
                    owner={{ manifestUrl: entry.manifest_url }}
                    src={entry.image ?? undefined}
                    name={entry.name}
                  />
                }
                name={entry.name}
                description={entry.description ?? ""}
                detail={entry.source_url}
                isDisabled={false}
                onOpen={() => setShown(entry.manifest_url)}
              />
            ))}
          </ul>
        </section>
      ) : null}
      <CataloguePanel manifestUrl={shown === "" ? undefined : shown} onClose={() => setShown(undefined)} />
    </Stack>
  );
}
