import { Button, Stack, Text } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import { sentenceOf } from "../../../api/api-error.js";
import { type Mapping, usePayloads } from "../../../api/connectors/use-mappings.js";
import { useSendTest } from "../../../api/deliveries/use-test-message.js";
import { CodeEditor } from "../../../ui/code/code-editor.js";
import { showResult } from "../../../ui/text/message-result.js";
import { StatusDot } from "../../../ui/text/status-dot.js";

interface PayloadPaneProps {
  connector: Connector;
  mapping: Mapping;
  user: string;
  /** A test is sent with what is saved. */
  isSaved: boolean;
}

/** What the mapping would send about a real user, and a test that sends it. */
export function PayloadPane({ connector, mapping, user, isSaved }: PayloadPaneProps) {
  const { data, error } = usePayloads(connector.id, mapping, user);
  const test = useSendTest(connector.id);
  if (user === "") return <Text c="dimmed">Choose a user to see what would be sent.</Text>;
  if (error) return <Text>{sentenceOf(error)}</Text>;
  const triggered = (data?.payloads ?? []).filter(({ isTriggered }) => isTriggered);
  const problem = (data?.payloads ?? []).find((each) => each.payload === undefined)?.problem;
  return (
    <Stack gap="sm">
      {data && triggered.length === 0 ? (
        <Text c="dimmed">{problem ?? "Nothing that is known of this user would trigger this mapping."}</Text>
      ) : null}
      {triggered.map((each, index) => (
        // Two events of a user can have the same name.
        // biome-ignore lint/suspicious/noArrayIndexKey: the entries keep no state of their own
        <div key={index}>
          <Text fw={500}>{each.event}</Text>
          {each.problem ? <Text c="var(--late)">{each.problem}</Text> : null}
          <CodeEditor
            value={JSON.stringify(each.payload ?? {}, null, 2)}
            language="json"
            label={`Payload for ${each.event}`}
            isReadOnly
          />
        </div>
      ))}
      <div>
        <Button disabled={!isSaved || !connector.enabled} loading={test.isPending} onClick={() => test.mutate(user)}>
          Send a test
        </Button>
        <Text c="dimmed" size="sm">
          {isSaved
            ? "Sends everything known of this user with all mappings that are switched on."
            : "Save first: a test is sent with what is saved."}
        </Text>
      </div>
      <div role="status">
        {test.error ? <Text>{sentenceOf(test.error)}</Text> : null}
        {test.data ? (
          <StatusDot status={showResult(test.data).status}>
            {test.data.reason === ""
              ? showResult(test.data).word
              : `${showResult(test.data).word}: ${test.data.reason}`}
          </StatusDot>
        ) : null}
      </div>
    </Stack>
  );
}
