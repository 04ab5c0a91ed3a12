import { Button } from "@mantine/core";
import { useConnectors } from "../../../api/connectors/use-connectors.js";
import { useDeliveryStates } from "../../../api/deliveries/use-delivery-states.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { PageSkeleton } from "../../../ui/page/skeleton.js";
import { byTrouble, connectorState } from "../connector-state.js";
import { ConnectorRow } from "./connector-row.js";
import classes from "./installed-connectors.module.css";

/** The installed connectors, those that need somebody first. */
export function InstalledConnectors({ onInstall }: { onInstall: () => void }) {
  const { data: connectors, error, refetch } = useConnectors({ isLive: true });
  const { data: deliveries, error: unread, refetch: readAgain } = useDeliveryStates();
  if (error && !connectors) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!connectors) return <PageSkeleton />;
  if (connectors.length === 0) {
    return (
      <EmptyState title="No connector is installed" action={<Button onClick={onInstall}>Open the gallery</Button>}>
        A connector brings data in from another service, or sends users and accounts to one. To send data from your own
        website, app or server, add a source.
      </EmptyState>
    );
  }
  const rows = byTrouble(
    connectors.map((connector) => {
      const delivery = deliveries?.get(connector.id);
      return { connector, delivery, state: connectorState(connector, delivery) };
    }),
  );
  return (
    <>
      {unread && !deliveries ? <ErrorNote error={unread} onRetry={() => void readAgain()} /> : null}
      <ul className={classes.list} aria-label="Installed connectors">
        {rows.map((row) => (
          <ConnectorRow key={row.connector.id} {...row} />
        ))}
      </ul>
    </>
  );
}
