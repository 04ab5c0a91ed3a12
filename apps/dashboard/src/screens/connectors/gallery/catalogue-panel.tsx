import { Button, Group, List, Stack, Text, Title, Tooltip } from "@mantine/core";
import type { CatalogueDetails } from "@muster/protocol/api/catalogue";
import { useCatalogueDetails } from "../../../api/connectors/use-catalogue.js";
import { useMay } from "../../../api/session/use-organization.js";
import { ConnectorPicture, ImageOwnerContext, TextImage } from "../../../settings-form/connector-image.js";
import { Markdown } from "../../../ui/code/markdown.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { SidePanel } from "../../../ui/page/side-panel.js";
import { pictureOf } from "../pictures.js";
import { abilities } from "./abilities.js";
import { useInstall } from "./use-install.js";

interface CataloguePanelProps {
  manifestUrl: string | undefined;
  onClose: () => void;
}

/** A connector that can be installed: what it is, what it will be able to do, and its readme. */
export function CataloguePanel({ manifestUrl, onClose }: CataloguePanelProps) {
  const { data: details, error, refetch } = useCatalogueDetails(manifestUrl);
  const title = manifestUrl === undefined ? undefined : textOf(details?.manifest.name, "Connector");
  return (
    <SidePanel title={title} onClose={onClose}>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {details && manifestUrl !== undefined ? <Details details={details} /> : null}
    </SidePanel>
  );
}

function Details({ details }: { details: CatalogueDetails }) {
  const { manifest, source_url, manifest_url, problems, readme } = details;
  const isOwner = useMay("owner");
  const install = useInstall();
  // The server runs those that come with it: they have no address that says anything.
  const place = source_url.startsWith("muster:") ? "comes with Muster" : source_url;
  return (
    <Stack gap="lg">
      <Group wrap="nowrap" align="flex-start">
        <ConnectorPicture
          owner={{ manifestUrl: manifest_url }}
          src={pictureOf(manifest)}
          name={textOf(manifest.name, "")}
        />
        <div>
          {typeof manifest.description === "string" ? <Text>{manifest.description}</Text> : null}
          <Text c="dimmed" size="xs">
            {[textOf(manifest.version, ""), place].filter((part) => part !== "").join(" · ")}
          </Text>
        </div>
      </Group>
      <section>
        <Title order={3} mb="xs">
          What it will be able to do
        </Title>
        <List size="sm">
          {abilities(manifest).map((sentence) => (
            <List.Item key={sentence}>{sentence}</List.Item>
          ))}
        </List>
      </section>
      {problems.length > 0 ? (
        <section>
          <Title order={3} mb="xs">
            Problems in its manifest
          </Title>
          <Text c="dimmed" mb="xs">
            It can be installed all the same. Parts with an error are not used.
          </Text>
          <List size="sm">
            {problems.map(({ path, message, severity }) => (
              <List.Item key={`${path} ${message}`}>
                <Text span c={severity === "error" ? "var(--bad)" : "var(--late)"}>
                  {severity}
                </Text>{" "}
                {path}: {message}
              </List.Item>
            ))}
          </List>
        </section>
      ) : null}
      <Group>
        <Tooltip label="Only owners can install connectors." disabled={isOwner}>
          <Button disabled={!isOwner} loading={install.isPending} onClick={() => install.start(manifest_url)}>
            Install {textOf(manifest.name, "connector")}
          </Button>
        </Tooltip>
      </Group>
      {install.error ? <ErrorNote error={install.error} /> : null}
      {readme === null ? (
        <Text c="dimmed">It has no readme, or does not serve it now.</Text>
      ) : (
        <section aria-label="Readme">
          <ImageOwnerContext value={{ manifestUrl: manifest_url }}>
            <Markdown text={readme} Image={TextImage} />
          </ImageOwnerContext>
        </section>
      )}
    </Stack>
  );
}

function textOf(value: unknown, fallback: string): string {
  return typeof value === "string" && value !== "" ? value : fallback;
}
