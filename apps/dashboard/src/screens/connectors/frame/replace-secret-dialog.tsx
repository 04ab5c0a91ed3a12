import { Button, Code, Group, Stack, Text } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import { useReplaceSecret } from "../../../api/connectors/use-connectors.js";
import { Dialog } from "../../../ui/notes/dialog.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { CopyText } from "../../../ui/text/copy-text.js";

interface ReplaceSecretDialogProps {
  connector: Connector;
  opened: boolean;
  onClose: () => void;
}

/** Replaces the secret of a connector and shows the new one once. */
export function ReplaceSecretDialog({ connector, opened, onClose }: ReplaceSecretDialogProps) {
  const { mutate, data, error, isPending, reset } = useReplaceSecret(connector.id);
  const close = () => {
    reset();
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title={`Replace the secret of ${connector.name}`}>
      <Stack>
        {data ? (
          <>
            <Text>This is the new secret. It is not shown again.</Text>
            <Group gap="xs" wrap="nowrap">
              <Code block>{data.secret}</Code>
              <CopyText text={data.secret} label="Copy the secret" />
            </Group>
          </>
        ) : (
          <Text>
            The old secret stops working at once. A connector that was given its secret by hand cannot send data until
            it has the new one. A connector that Muster calls gets it with the next call.
          </Text>
        )}
        {error ? <ErrorNote error={error} /> : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {data ? "Done" : "Cancel"}
          </Button>
          {data ? null : (
            <Button color="red" loading={isPending} onClick={() => mutate()}>
              Replace secret
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
