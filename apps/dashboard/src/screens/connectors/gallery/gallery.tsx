import { Button, Group, Stack, TextInput, Title } from "@mantine/core";
import type { CatalogueEntry } from "@muster/protocol/api/catalogue";
import { type FormEvent, useState } from "react";
import { sentenceOf } from "../../../api/api-error.js";
import { useCatalogue, useLookAtManifest } from "../../../api/connectors/use-catalogue.js";
import { useMay } from "../../../api/session/use-organization.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { UnreachableNote } from "../unreachable-note.js";
import { CataloguePanel } from "./catalogue-panel.js";
import { DestinationList } from "./destination-list.js";
import classes from "./gallery.module.css";
import { GalleryEntry } from "./gallery-entry.js";
import { InstallDestinations } from "./install-destinations.js";
import { useInstall } from "./use-install.js";

/** The connectors that can be installed: those of Muster, those that were seen before, and any other by its address. */
export function Gallery() {
  const isOwner = useMay("owner");
  const [shown, setShown] = useUrlState("manifest");
  const [address, setAddress] = useState("");
  const { data: entries = [], error, refetch } = useCatalogue();
  const look = useLookAtManifest();
  const install = useInstall();
  const lookAt = (url: string) => look.mutate(url, { onSuccess: (manifestUrl) => setShown(manifestUrl) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (address.trim() !== "") lookAt(address.trim());
  };
  const list = (some: readonly CatalogueEntry[]) => (
    <ul className={classes.list}>
      {some.map((entry) => (
        <GalleryEntry
          key={entry.manifest_url}
          entry={entry}
          isInstalling={install.isPending && install.variables === entry.manifest_url}
          onOpen={() => setShown(entry.manifest_url)}
          onInstall={() => install.start(entry.manifest_url)}
        />
      ))}
    </ul>
  );
  const bundled = entries.filter((entry) => entry.bundled && entry.categories.length === 0);
  const destinations = entries.filter((entry) => entry.categories.length > 0);
  const seen = entries.filter((entry) => !entry.bundled);
  return (
    <Stack gap="xl" maw={880}>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {install.error ? <ErrorNote error={install.error} /> : null}
      {bundled.length > 0 ? (
        <section aria-label="Connectors that come with Muster">
          <Title order={2}>Come with Muster</Title>
          {list(bundled)}
        </section>
      ) : null}
      <section aria-label="Destinations">
        <Title order={2}>Destinations</Title>
        <InstallDestinations hasDestinations={destinations.length > 0} />
        {destinations.length > 0 ? <DestinationList entries={destinations}>{list}</DestinationList> : null}
      </section>
      {seen.length > 0 ? (
        <section aria-label="Connectors that were seen before">
          <Title order={2}>Seen before</Title>
          {list(seen)}
        </section>
      ) : null}
      <section aria-label="A connector of yours">
        <Title order={2} mb="xs">
          One of yours
        </Title>
        <form onSubmit={submit}>
          <Group gap="xs" align="flex-end" mb="md">
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
          <UnreachableNote isChecking={look.isPending} onCheck={() => lookAt(look.variables)}>
            {sentenceOf(look.error)}
          </UnreachableNote>
        ) : null}
      </section>
      <CataloguePanel manifestUrl={shown === "" ? undefined : shown} onClose={() => setShown(undefined)} />
    </Stack>
  );
}
