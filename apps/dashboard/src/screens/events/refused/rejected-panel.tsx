import { Button, Group, Stack, Text, Title, Tooltip } from "@mantine/core";
import type { RejectedEntry } from "@muster/protocol/api/ingestion";
import { useEffect, useRef, useState } from "react";
import { useConnectorNames } from "../../../api/connectors/use-connector-names.js";
import { useRejectedActions } from "../../../api/ingestion/use-rejected-entries.js";
import { useMay } from "../../../api/session/use-organization.js";
import { CodeEditor } from "../../../ui/code/code-editor.js";
import { notifyWhenDone } from "../../../ui/notes/notify-done.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { Facts } from "../../../ui/page/facts.js";
import { SidePanel } from "../../../ui/page/side-panel.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { describeRejected } from "./describe-rejected.js";
import { readBody } from "./read-body.js";

interface RejectedPanelProps {
  /** The number in the address; empty when no entry is opened, or the list is not read yet. */
  id: string;
  entry: RejectedEntry | undefined;
  onClose: () => void;
}

/** One rejected entry. Its body can be changed before it is retried. */
export function RejectedPanel({ id, entry, onClose }: RejectedPanelProps) {
  const shown = useRef(id);
  useEffect(() => {
    shown.current = id;
  }, [id]);
  if (id === "") return null;
  // Another entry that was opened meanwhile stays open.
  const close = () => {
    if (shown.current === id) onClose();
  };
  return (
    <SidePanel title={entry ? describeRejected(entry.entry).content : "Entry"} onClose={onClose} width={640}>
      {entry ? (
        <Details key={entry.id} rejected={entry} onDone={close} />
      ) : (
        <Text>
          This entry is not among those that are listed: it was retried or discarded, or the choices above leave it out.
        </Text>
      )}
    </SidePanel>
  );
}

function Details({ rejected, onDone }: { rejected: RejectedEntry; onDone: () => void }) {
  const mayEdit = useMay("editor");
  const names = useConnectorNames();
  const { retry, retryWith } = useRejectedActions();
  const { subject, body } = describeRejected(rejected.entry);
  const original = JSON.stringify(body, null, 2);
  const [text, setText] = useState(original);
  const edited = readBody(text);
  const isChanged = text !== original;
  const error = retry.error ?? retryWith.error;
  // The entry leaves the list, and this leaves the panel, before the answer is handled.
  const run = () => {
    const retried: Promise<unknown> | undefined = isChanged
      ? edited.body && retryWith.mutateAsync({ id: rejected.id, body: edited.body })
      : retry.mutateAsync({ selection: { ids: [rejected.id] }, expected: 1 });
    if (!retried) return;
    notifyWhenDone(retried, "The entry was retried. If it still cannot be applied, it comes back.");
    void retried.then(onDone, () => undefined);
  };
  return (
    <Stack>
      <Text fw={500}>{rejected.message}</Text>
      <Facts
        facts={[
          { name: "Who", value: subject },
          { name: "Rejected", value: <TimeText time={rejected.rejected_at} /> },
          {
            name: "Retried",
            value: rejected.retried_at === null ? "not yet" : <TimeText time={rejected.retried_at} />,
          },
          { name: "From", value: names.get(rejected.connector_id) ?? rejected.connector_id },
          { name: "Code", value: rejected.code },
        ]}
      />
      <Title order={2}>Payload</Title>
      <Text c="dimmed">
        What was refused. You can change it here; whom it is about and when it happened stay as they are.
      </Text>
      <CodeEditor
        value={text}
        onChange={setText}
        language="json"
        label="Payload"
        isReadOnly={!mayEdit}
        problems={edited.problem === undefined ? [] : [{ line: 1, message: edited.problem }]}
      />
      {edited.problem === undefined ? null : <Text c="var(--bad)">{edited.problem}</Text>}
      {error ? <ErrorNote error={error} /> : null}
      <Group>
        <Tooltip label="Your role may look and not change." disabled={mayEdit}>
          <Button
            disabled={!mayEdit || edited.problem !== undefined}
            loading={retry.isPending || retryWith.isPending}
            onClick={run}
          >
            {isChanged ? "Retry with this payload" : "Retry entry"}
          </Button>
        </Tooltip>
        {isChanged ? (
          <Button variant="default" onClick={() => setText(original)}>
            Reset payload
          </Button>
        ) : null}
      </Group>
    </Stack>
  );
}
