import { SegmentedControl, Stack } from "@mantine/core";
import { useDelivery } from "../../../api/deliveries/use-deliveries.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { formatNumber } from "../../../ui/text/format.js";
import { DeadLetters } from "./dead-letters.js";
import { JobsOfConnector } from "./jobs-of-connector.js";
import { SentMessages } from "./sent-messages.js";

/** What was sent, what could not be delivered, and what was sent in bulk. */
export function DeliveriesTab({ connectorId }: { connectorId: string }) {
  const [view, setView] = useUrlState("view", "dead");
  const { data } = useDelivery(connectorId);
  const dead = data === undefined ? "" : ` (${formatNumber(data.dead_letters)})`;
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label="What to show"
        w="fit-content"
        data={[
          { value: "dead", label: `Dead letters${dead}` },
          { value: "sent", label: "Sent messages" },
          { value: "jobs", label: "Batches and exports" },
        ]}
        value={view}
        onChange={setView}
      />
      {view === "sent" ? (
        <SentMessages connectorId={connectorId} />
      ) : view === "jobs" ? (
        <JobsOfConnector connectorId={connectorId} />
      ) : (
        <DeadLetters connectorId={connectorId} />
      )}
    </Stack>
  );
}
