import { Stack, Text } from "@mantine/core";
import type { DeadLetterDetails } from "@muster/protocol/api/dead-letters";
import { useSubjectNames } from "../../../api/audience/use-subject-names.js";
import { useDeadLetter } from "../../../api/deliveries/use-dead-letters.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { SidePanel } from "../../../ui/page/side-panel.js";
import { formatCount } from "../../../ui/text/format.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { channelWords } from "../../../ui/text/words.js";
import { DeadLetterEditor } from "./dead-letter-editor.js";
import classes from "./deliveries.module.css";
import { SubjectLink } from "./subject-link.js";

interface DeadLetterPanelProps {
  /** Undefined closes the panel. */
  id: number | undefined;
  connectorId: string;
  onClose: () => void;
}

/** One dead letter: why, the last call and its answer, and the message to edit. */
export function DeadLetterPanel({ id, connectorId, onClose }: DeadLetterPanelProps) {
  return (
    <SidePanel title={id === undefined ? undefined : `Message ${id}`} onClose={onClose} width={680}>
      {id === undefined ? null : <Content id={id} connectorId={connectorId} onClose={onClose} />}
    </SidePanel>
  );
}

function Content({ id, connectorId, onClose }: DeadLetterPanelProps & { id: number }) {
  const { data, error, refetch } = useDeadLetter(id);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  return (
    <Stack gap="md">
      <Facts letter={data} />
      <DeadLetterEditor key={`${id} ${data.edited_at}`} letter={data} connectorId={connectorId} onDone={onClose} />
    </Stack>
  );
}

function Facts({ letter }: { letter: DeadLetterDetails }) {
  const { cause, attempts, entity_id, channel, created_at, request, answer, edited_by, edited_at } = letter;
  const names = useSubjectNames([entity_id]);
  return (
    <Stack gap="xs">
      <Text fw={500}>{cause}</Text>
      <Text>
        About <SubjectLink id={entity_id} name={names.get(entity_id)} />, “{channelWords(channel)}”. Given up{" "}
        <TimeText time={created_at} /> after {formatCount(attempts, "attempt")}.
      </Text>
      {edited_by === null ? null : (
        <Text c="dimmed">
          Edited by {edited_by} <TimeText time={edited_at} />. It is sent as it is here.
        </Text>
      )}
      <Text component="h3" fw={600}>
        The last call
      </Text>
      {request.notification_id === "" ? null : <Text className={classes.code}>POST {request.url}</Text>}
      {request.notification_id === "" ? (
        <Text c="dimmed">The message was never sent.</Text>
      ) : answer === null ? (
        <Text c="dimmed">{letter.reason === "" ? "There was no answer." : letter.reason}</Text>
      ) : (
        <>
          <Text>{answer.status === 0 ? "The answer:" : `The answer had status ${answer.status}:`}</Text>
          <pre className={classes.answer}>{answer.body === "" ? "(empty)" : answer.body}</pre>
        </>
      )}
    </Stack>
  );
}
