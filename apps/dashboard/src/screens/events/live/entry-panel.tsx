import { Stack, Text, Title } from "@mantine/core";
import type { RecentEntry } from "@muster/protocol/api/ingestion";
import { useConnectorNames } from "../../../api/connectors/use-connector-names.js";
import { CodeEditor } from "../../../ui/code/code-editor.js";
import { Facts } from "../../../ui/page/facts.js";
import { SidePanel } from "../../../ui/page/side-panel.js";
import { IDENTIFIER_NAMES } from "../../../ui/text/identifier-names.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { contentOf, typeInWords } from "./describe-entry.js";
import { OutcomeMark } from "./outcome-mark.js";

interface EntryPanelProps {
  /** The id in the address; empty when no entry is opened. */
  id: string;
  entry: RecentEntry | undefined;
  onClose: () => void;
}

const MEANINGS: Record<string, string> = {
  accepted: "It is stored, and is being applied.",
  duplicate: "The same batch was sent before. It has no second effect.",
  refused: "It is stored nowhere. The sender got this verdict with the answer.",
  rejected: "It was accepted and could not be applied. It is listed under Refused, where it can be retried.",
};

/** One arriving entry with its payload. */
export function EntryPanel({ id, entry, onClose }: EntryPanelProps) {
  const names = useConnectorNames();
  if (id === "") return null;
  if (!entry) {
    return (
      <SidePanel title="Entry" onClose={onClose}>
        <Text>This entry is not kept any more. Arriving entries are kept only while somebody looks at them.</Text>
      </SidePanel>
    );
  }
  const { outcome, message, code } = entry;
  return (
    <SidePanel title={contentOf(entry)} onClose={onClose}>
      <Stack>
        <Stack gap={4}>
          <OutcomeMark outcome={outcome} />
          {message === null ? null : <Text fw={500}>{message}</Text>}
          <Text c="dimmed">{MEANINGS[outcome]}</Text>
        </Stack>
        <Facts
          facts={[
            { name: "Type", value: typeInWords(entry.type) },
            { name: "Arrived", value: <TimeText time={entry.at} /> },
            { name: "Happened", value: entry.recorded_at === null ? "unknown" : <TimeText time={entry.recorded_at} /> },
            { name: "From", value: `${names.get(entry.connector_id) ?? entry.connector_id} (${entry.source})` },
            { name: "User", value: identifiersOf(entry.user) },
            ...(entry.account === null ? [] : [{ name: "Account", value: identifiersOf(entry.account) }]),
            ...(code === null ? [] : [{ name: "Code", value: code }]),
          ]}
        />
        <Title order={2}>Payload</Title>
        {entry.shortened ? <Text c="dimmed">It is large: only its beginning is shown.</Text> : null}
        <CodeEditor value={JSON.stringify(entry.body, null, 2)} language="json" label="Payload" isReadOnly />
      </Stack>
    </SidePanel>
  );
}

function identifiersOf(identifiers: Record<string, unknown> | null): string {
  const given = Object.entries(identifiers ?? {});
  return given.length === 0
    ? "unknown"
    : given.map(([kind, value]) => `${IDENTIFIER_NAMES[kind] ?? kind} ${String(value)}`).join(", ");
}
