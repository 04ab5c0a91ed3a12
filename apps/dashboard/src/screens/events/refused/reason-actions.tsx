import { Button, Group, Tooltip } from "@mantine/core";
import type { RejectedFilter } from "@muster/protocol/api/ingestion";
import { useState } from "react";
import { useRejectedActions } from "../../../api/ingestion/use-rejected-entries.js";
import { useMay } from "../../../api/session/use-organization.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyDone, notifyOutcome } from "../../../ui/notes/notify-done.js";
import { formatCount } from "../../../ui/text/format.js";

/** Retries or discards all entries that match. */
export function ReasonActions({ filter, total }: { filter: RejectedFilter; total: number }) {
  const mayEdit = useMay("editor");
  const { retry, discard } = useRejectedActions();
  const [isAsking, setAsking] = useState(false);
  const entries = formatCount(total, "entry", "entries");
  const isRetried = filter.retried === true;
  // The buttons go with the last entry.
  const retryAll = () =>
    notifyOutcome(
      retry.mutateAsync({ selection: filter, expected: total }),
      (retried) => `${formatCount(retried, "entry", "entries")} retried. Those that still cannot be applied come back.`,
    );
  return (
    <>
      <Tooltip label="Your role may look and not change." disabled={mayEdit}>
        <Group gap="xs">
          {isRetried ? null : (
            <Button disabled={!mayEdit || total === 0} loading={retry.isPending} onClick={retryAll}>
              Retry {entries}
            </Button>
          )}
          <Button variant="default" disabled={!mayEdit || total === 0} onClick={() => setAsking(true)}>
            Discard {entries}
          </Button>
        </Group>
      </Tooltip>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Discard ${entries}`}
        action={`Discard ${entries}`}
        onConfirm={async () => {
          const discarded = await discard.mutateAsync(filter);
          notifyDone(`${formatCount(discarded, "entry", "entries")} discarded`);
        }}
      >
        They are deleted from this list and can never be retried. Users and accounts stay as they are.
      </ConfirmDialog>
    </>
  );
}
