import { Button, Group, Text } from "@mantine/core";
import type { DeadLetterGroup } from "@muster/protocol/api/dead-letters";
import { ChevronDownIcon, ChevronRightIcon } from "@primer/octicons-react";
import { useState } from "react";
import { discardDeadLetters, retryDeadLetters } from "../../../api/deliveries/use-dead-letters.js";
import { useRefreshDeliveries } from "../../../api/deliveries/use-deliveries.js";
import { useMay } from "../../../api/session/use-organization.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyDone, notifyFailed } from "../../../ui/notes/notify-done.js";
import { formatCount, formatNumber } from "../../../ui/text/format.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { DeadLetterList } from "./dead-letter-list.js";
import classes from "./deliveries.module.css";

interface DeadLetterGroupRowProps {
  group: DeadLetterGroup;
  isOpen: boolean;
  onToggle: () => void;
  onOpen: (id: number) => void;
}

/** The dead letters with one cause: how many, since when, and what to do with all of them. */
export function DeadLetterGroupRow({ group, isOpen, onToggle, onOpen }: DeadLetterGroupRowProps) {
  const { connector_id, cause, letters, first_at, last_at, newest_id } = group;
  const mayChange = useMay("editor");
  const refresh = useRefreshDeliveries();
  const [retried, setRetried] = useState<number>();
  const [isDiscarding, setDiscarding] = useState(false);
  const selection = { connector_id, cause, up_to: newest_id };
  const retry = async () => {
    setRetried(0);
    try {
      const count = await retryDeadLetters(selection, setRetried);
      notifyDone(`${formatCount(count, "message")} put back into the queue`);
    } catch (error) {
      notifyFailed(error);
    } finally {
      setRetried(undefined);
      await refresh();
    }
  };
  const why = mayChange ? undefined : "Viewers cannot send or discard messages.";
  return (
    <li className={classes.group}>
      <div className={classes.groupHead}>
        <button type="button" className={classes.toggle} aria-expanded={isOpen} onClick={onToggle}>
          {isOpen ? <ChevronDownIcon size={14} /> : <ChevronRightIcon size={14} />}
          <span>
            <Text component="span" fw={500} className={classes.cause}>
              {cause}
            </Text>
            <Text component="span" c="dimmed" display="block">
              {formatCount(letters, "message")}, first <TimeText time={first_at} />, last <TimeText time={last_at} />
            </Text>
          </span>
        </button>
        <Group gap="xs" wrap="nowrap">
          <Button disabled={!mayChange} title={why} loading={retried !== undefined} onClick={() => void retry()}>
            Retry {formatCount(letters, "message")}
          </Button>
          <Button variant="default" disabled={!mayChange} title={why} onClick={() => setDiscarding(true)}>
            Discard
          </Button>
        </Group>
      </div>
      {retried === undefined ? null : (
        <Text c="dimmed" role="status">
          {formatNumber(retried)} of {formatCount(letters, "message")} put back into the queue …
        </Text>
      )}
      {isOpen ? <DeadLetterList connectorId={connector_id} cause={cause} onOpen={onOpen} /> : null}
      <ConfirmDialog
        opened={isDiscarding}
        onClose={() => setDiscarding(false)}
        title={`Discard ${formatCount(letters, "message")}`}
        action={`Discard ${formatCount(letters, "message")}`}
        onConfirm={async () => {
          const count = await discardDeadLetters(selection);
          notifyDone(`${formatCount(count, "message")} discarded`);
          await refresh();
        }}
      >
        {formatCount(letters, "message")} that could not be delivered will be removed for good, and the connector will
        never get {letters === 1 ? "it" : "them"}. The users and accounts stay as they are.
      </ConfirmDialog>
    </li>
  );
}
