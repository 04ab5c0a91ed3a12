import { Button, Group, Select, Stack, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../../api/client.js";
import { useConnectors } from "../../../api/connectors/use-connectors.js";
import { Dialog } from "../../../ui/notes/dialog.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";
import { ErrorNote } from "../../../ui/page/error-note.js";

interface SendDialogProps {
  type: SubjectType;
  id: string;
  opened: boolean;
  onClose: () => void;
}

/** Sends the subject as it is now to one connector. */
export function SendDialog({ type, id, opened, onClose }: SendDialogProps) {
  const connectors = useConnectors();
  const [connectorId, setConnectorId] = useState<string | null>(null);
  const name = connectors.data?.find((connector) => connector.id === connectorId)?.name ?? "";
  const sending = useMutation({
    mutationFn: (to: string) =>
      answer(api.POST("/api/v1/{id}/send", { params: { path: { id } }, body: { connector_id: to } })),
    onSuccess: () => {
      onClose();
      notifyDone(`Queued for ${name}. The delivery appears in the timeline.`);
    },
  });
  return (
    <Dialog opened={opened} onClose={onClose} title="Send to a connector">
      <Stack>
        {connectors.error ? <ErrorNote error={connectors.error} onRetry={() => void connectors.refetch()} /> : null}
        <Select
          label="Connector"
          placeholder="Choose a connector"
          searchable
          disabled={!connectors.data}
          data={(connectors.data ?? []).map(({ id: value, name: label }) => ({ value, label }))}
          value={connectorId}
          onChange={setConnectorId}
        />
        <Text c="dimmed">
          The connector gets one message with this {type} as it is now, whatever its filters say. A message that was
          sent cannot be taken back.
        </Text>
        {sending.isError ? <ErrorNote error={sending.error} /> : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            loading={sending.isPending}
            disabled={connectorId === null}
            onClick={() => connectorId !== null && sending.mutate(connectorId)}
          >
            Send {type}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
