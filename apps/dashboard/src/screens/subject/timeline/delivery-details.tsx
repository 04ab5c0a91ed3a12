import { Anchor, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { ApiError } from "../../../api/api-error.js";
import { type DeliveryItem, useKeptMessage } from "../../../api/audience/use-timeline.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { CodeEditor } from "../../../ui/code/code-editor.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { formatDuration } from "../../../ui/text/format.js";
import { showResult } from "../../../ui/text/message-result.js";
import { prettyJson } from "../../../ui/text/pretty-json.js";
import { channelWords } from "../../../ui/text/words.js";
import { FactTable } from "./fact-table.js";

/** One message to a connector: how the call ended, what was sent and what was answered. */
export function DeliveryDetails({ item }: { item: DeliveryItem }) {
  const { id: org } = useOrganization();
  const kept = useKeptMessage(item);
  const facts = {
    result: showResult(item).word,
    reason: item.reason,
    status: item.status === 0 ? "no answer" : item.status,
    took: formatDuration(item.duration_ms),
    about: channelWords(item.channel),
    address: kept.data?.url,
    notification: item.notification_id,
    message: item.message_id,
  };
  return (
    <Stack>
      <FactTable values={facts} empty="" />
      {item.body === "" ? null : (
        <section aria-label="Answer of the service">
          <Title order={3} mb={4}>
            Answer of the service
          </Title>
          <CodeEditor
            label="Answer of the service"
            language="json"
            isReadOnly
            value={prettyJson(item.body)}
            minHeight="2rem"
          />
        </section>
      )}
      {kept.isError ? (
        kept.error instanceof ApiError && kept.error.status === 404 ? (
          <Text c="dimmed">{kept.error.message}</Text>
        ) : (
          <ErrorNote error={kept.error} onRetry={() => void kept.refetch()} />
        )
      ) : kept.data ? (
        <>
          <section aria-label="Answer">
            <Title order={3} mb={4}>
              Answer
            </Title>
            {kept.data.answer === "" ? (
              <Text c="dimmed">{item.status === 0 ? "There was no answer." : "The answer had no body."}</Text>
            ) : (
              <CodeEditor
                label="Answer"
                language="json"
                isReadOnly
                value={prettyJson(kept.data.answer)}
                minHeight="2rem"
              />
            )}
          </section>
          <section aria-label="Request">
            <Title order={3} mb={4}>
              Request
            </Title>
            <CodeEditor label="Request" language="json" isReadOnly value={prettyJson(kept.data.request)} />
          </section>
        </>
      ) : null}
      <Anchor component={Link} to={`/o/${org}/connectors/${item.connector_id}`} size="sm">
        Open the connector
      </Anchor>
    </Stack>
  );
}
