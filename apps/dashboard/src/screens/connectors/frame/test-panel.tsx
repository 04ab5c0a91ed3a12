import { Button, Group, Stack, Text } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import type { SampleMessage, TestedMessage } from "@muster/protocol/api/deliveries";
import { useState } from "react";
import { sentenceOf } from "../../../api/api-error.js";
import { useSubjectNames } from "../../../api/audience/use-subject-names.js";
import { useSampleMessage, useSendTest } from "../../../api/deliveries/use-test-message.js";
import { useMay } from "../../../api/session/use-organization.js";
import { CodeEditor } from "../../../ui/code/code-editor.js";
import { formatDuration } from "../../../ui/text/format.js";
import { showResult } from "../../../ui/text/message-result.js";
import { prettyJson } from "../../../ui/text/pretty-json.js";
import { StatusDot } from "../../../ui/text/status-dot.js";
import classes from "../deliveries/deliveries.module.css";
import { SubjectLink } from "../deliveries/subject-link.js";
import { SubjectPicker } from "../subject-picker.js";

/** Shows the message that a connector would get about somebody, sends it, and shows what became of it. */
export function TestPanel({ connector }: { connector: Connector }) {
  const isOwner = useMay("owner");
  const [chosen, setChosen] = useState("");
  const sample = useSampleMessage(connector.id, chosen);
  const test = useSendTest(connector.id);
  const choose = (id: string) => {
    setChosen(id);
    test.reset();
  };
  return (
    <Stack gap="md">
      <SubjectPicker
        entity={sample.data?.entity_type ?? "user"}
        value={chosen}
        onChange={choose}
        label="About whom"
        placeholder="Somebody who passes the filter"
      />
      {sample.error ? <Text>{sentenceOf(sample.error)}</Text> : null}
      {sample.data ? (
        <>
          <Facts sample={sample.data} isChosen={chosen !== ""} />
          <Group gap="sm">
            <Button
              disabled={!isOwner || !connector.enabled}
              loading={test.isPending}
              onClick={() => test.mutate(sample.data.entity_id)}
            >
              Send test
            </Button>
            <Text c="dimmed" size="sm">
              {isOwner
                ? connector.enabled
                  ? "The connector treats it like any other message."
                  : "Switch the connector on before you test it."
                : "Only owners can send a test."}
            </Text>
          </Group>
          <div role="status">
            {test.error ? <Text>{sentenceOf(test.error)}</Text> : null}
            {test.data ? <Result tested={test.data} /> : null}
          </div>
          <Text component="h3" fw={600}>
            The message
          </Text>
          <CodeEditor
            value={JSON.stringify(sample.data.message, null, 2)}
            language="json"
            label="The message that would be sent"
            isReadOnly
          />
        </>
      ) : null}
    </Stack>
  );
}

function Facts({ sample, isChosen }: { sample: SampleMessage; isChosen: boolean }) {
  const names = useSubjectNames([sample.entity_id]);
  return (
    <Text>
      About <SubjectLink id={sample.entity_id} name={names.get(sample.entity_id)} />
      {isChosen ? "" : ", who changed last"}, with everything that is known and without changes, as in an export.
      {sample.passes_filter ? "" : " The connector would not be told of changes: they do not pass its filter."}
    </Text>
  );
}

function Result({ tested }: { tested: TestedMessage }) {
  const { status, word } = showResult(tested);
  return (
    <Stack gap="xs">
      <StatusDot status={status}>
        {tested.reason === "" ? word : `${word}: ${tested.reason}`} It took {formatDuration(tested.duration_ms)}.
      </StatusDot>
      {tested.body === "" ? null : (
        <>
          <Text fw={600}>
            {tested.status === 0 ? "The service answered" : `The service answered with status ${tested.status}`}
          </Text>
          <pre className={classes.answer}>{prettyJson(tested.body)}</pre>
        </>
      )}
      {tested.answer === null ? null : (
        <>
          <Text fw={600}>The connector answered with status {tested.answer.status}</Text>
          <pre className={classes.answer}>{tested.answer.body === "" ? "(empty)" : prettyJson(tested.answer.body)}</pre>
        </>
      )}
    </Stack>
  );
}
