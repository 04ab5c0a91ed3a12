import type { Connector } from "@muster/protocol/api/connectors";
import type { Delivery } from "@muster/protocol/api/deliveries";
import { useNavigate } from "@tanstack/react-router";
import { useRemoveConnector } from "../../../api/connectors/use-connectors.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";
import { formatCount } from "../../../ui/text/format.js";

interface UninstallDialogProps {
  connector: Connector;
  delivery: Delivery | undefined;
  opened: boolean;
  onClose: () => void;
}

export function UninstallDialog({ connector, delivery, opened, onClose }: UninstallDialogProps) {
  const { id: org } = useOrganization();
  const remove = useRemoveConnector(connector.id);
  const navigate = useNavigate();
  const waiting = delivery
    ? formatCount(delivery.queued_messages, "message that waits", "messages that wait")
    : "all messages that wait";
  const givenUp = delivery
    ? formatCount(delivery.dead_letters, "message that was given up", "messages that were given up")
    : "all messages that were given up";
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={`Uninstall ${connector.name}`}
      action={`Uninstall ${connector.name}`}
      typeToConfirm={connector.name}
      onConfirm={async () => {
        await remove.mutateAsync();
        notifyDone(`${connector.name} is uninstalled`);
        await navigate({ to: "/o/$org/connectors", params: { org } });
      }}
    >
      This deletes the connector's settings, credentials and logs, {waiting} and {givenUp}. Users, accounts and events
      that it has sent stay. It cannot be undone.
    </ConfirmDialog>
  );
}
