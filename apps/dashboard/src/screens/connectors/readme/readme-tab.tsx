import { Group, Text } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import { useConnectorReadme } from "../../../api/connectors/use-connectors.js";
import { ImageOwnerContext, TextImage } from "../../../settings-form/connector-image.js";
import { Markdown } from "../../../ui/code/markdown.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";

export function ReadmeTab({ connector }: { connector: Connector }) {
  const { data: readme, error, refetch, isPending } = useConnectorReadme(connector.id);
  const { version, description } = connector.manifest;
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (isPending) return null;
  return (
    <>
      <Group gap="md" mb="md">
        {typeof version === "string" ? <Text c="dimmed">Version {version}</Text> : null}
        {connector.source_url === null ? null : <Text c="dimmed">{connector.source_url}</Text>}
      </Group>
      {readme ? (
        <ImageOwnerContext value={{ connectorId: connector.id }}>
          <Markdown text={readme} Image={TextImage} />
        </ImageOwnerContext>
      ) : (
        <EmptyState title="There is no readme">
          {typeof description === "string" ? description : "The connector serves none."}
        </EmptyState>
      )}
    </>
  );
}
