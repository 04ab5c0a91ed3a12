import { Stack, Text } from "@mantine/core";
import type { ConnectorTrace } from "@muster/protocol/api/deliveries";
import { sentenceOf } from "../../../api/api-error.js";
import { useSubjectNames } from "../../../api/audience/use-subject-names.js";
import { useKeptMessage } from "../../../api/deliveries/use-deliveries.js";
import { CodeEditor } from "../../../ui/code/code-editor.js";
import { SidePanel } from "../../../ui/page/side-panel.js";
import { formatDuration } from "../../../ui/text/format.js";
import { showResult } from "../../../ui/text/message-result.js";
import { prettyJson } from "../../../ui/text/pretty-json.js";
import { StatusDot } from "../../../ui/text/status-dot.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { channelWords } from "../../../ui/text/words.js";
import classes from "./deliveries.module.css";
import { SubjectLink } from "./subject-link.js";

interface SentMessagePanelProps {
  /** The call and the message, with a dot between them; empty closes the panel. */
  message: string;
  /** What is known of it; undefined when it is not on the page of the list that is shown. */
  trace: ConnectorTrace | undefined;
  connectorId: string;
  onClose: () => void;
}

/** One message that was sent: the request and the answer, where they were kept. */
export function SentMessagePanel({ message, trace, connectorId, onClose }: SentMessagePanelProps) {
  const [notificationId = "", messageId = ""] = message.split(".");
  return (
    <SidePanel
      title={message === "" ? undefined : trace ? channelWords(trace.channel) : "Message"}
      onClose={onClose}
      width={680}
    >
      {message === "" ? null : (
        <Stack gap="sm">
          {trace ? <Facts trace={trace} /> : null}
          <Kept notification_id={notificationId} message_id={messageId} connectorId={connectorId} />
        </Stack>
      )}
    </SidePanel>
  );
}

function Facts({ trace }: { trace: ConnectorTrace }) {
  const { status, word } = showResult(trace);
  const names = useSubjectNames([trace.entity_id]);
  return (
    <>
      <Text>
        About <SubjectLink id={trace.entity_id} name={names.get(trace.entity_id)} />, sent{" "}
        <TimeText time={trace.sent_at} />, answered after {formatDuration(trace.duration_ms)}
        {trace.reported ? "" : trace.status === 0 ? " without a status" : ` with status ${trace.status}`}.
      </Text>
      <StatusDot status={status}>{trace.reason === "" ? word : `${word}: ${trace.reason}`}</StatusDot>
      {trace.body === "" ? null : (
        <>
          <Text component="h3" fw={600}>
            {trace.status === 0 ? "The service answered" : `The service answered with status ${trace.status}`}
          </Text>
          <pre className={classes.answer}>{prettyJson(trace.body)}</pre>
        </>
      )}
    </>
  );
}

function Kept({ connectorId, ...message }: { connectorId: string; notification_id: string; message_id: string }) {
  const { data, error } = useKeptMessage(connectorId, message);
  if (error) return <Text c="dimmed">{sentenceOf(error)}</Text>;
  if (!data) return null;
  return (
    <>
      <Text component="h3" fw={600}>
        Request
      </Text>
      <Text className={classes.code}>POST {data.url}</Text>
      <CodeEditor value={prettyJson(data.request)} language="json" label="The message as it was sent" isReadOnly />
      <Text component="h3" fw={600}>
        Answer of the connector
      </Text>
      <pre className={classes.answer}>{data.answer === "" ? "There was no answer." : prettyJson(data.answer)}</pre>
    </>
  );
}
