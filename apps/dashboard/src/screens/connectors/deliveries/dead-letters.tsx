import { Stack, Text } from "@mantine/core";
import { useDeadLetterGroups } from "../../../api/deliveries/use-dead-letters.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { GuideLink } from "../../../ui/page/guide-link.js";
import { PageSkeleton } from "../../../ui/page/skeleton.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { formatNumber } from "../../../ui/text/format.js";
import { DeadLetterGroupRow } from "./dead-letter-group-row.js";
import { DeadLetterPanel } from "./dead-letter-panel.js";
import classes from "./deliveries.module.css";

/** The messages that could not be delivered, by their causes. */
export function DeadLetters({ connectorId }: { connectorId: string }) {
  const [cause, setCause] = useUrlState("cause");
  const [letter, setLetter] = useUrlState("letter");
  const { data, error, refetch } = useDeadLetterGroups(connectorId);
  const letterId = /^\d+$/.test(letter) ? Number(letter) : undefined;
  return (
    <Stack gap={0}>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data && data.total > data.groups.length ? (
        <Text c="dimmed">
          The {formatNumber(data.groups.length)} causes with most messages are shown, of {formatNumber(data.total)}.
        </Text>
      ) : null}
      {data?.groups.length === 0 ? (
        <EmptyState title="There are no dead letters">
          A message that the connector refuses again and again, or that waits too long, is kept here. You can then look
          at it, edit it and send it again. <GuideLink page="connectors/using">Read about connectors</GuideLink>
        </EmptyState>
      ) : error || data ? (
        <ul className={classes.groups} aria-label="Dead letters by cause">
          {data?.groups.map((group) => (
            <DeadLetterGroupRow
              key={group.cause}
              group={group}
              isOpen={group.cause === cause}
              onToggle={() => setCause(group.cause === cause ? undefined : group.cause)}
              onOpen={(id) => setLetter(String(id))}
            />
          ))}
        </ul>
      ) : (
        <PageSkeleton />
      )}
      <DeadLetterPanel id={letterId} connectorId={connectorId} onClose={() => setLetter(undefined)} />
    </Stack>
  );
}
