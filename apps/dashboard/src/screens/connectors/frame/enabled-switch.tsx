import { Switch, Tooltip } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import type { Delivery } from "@muster/protocol/api/deliveries";
import { useState } from "react";
import { useUpdateConnector } from "../../../api/connectors/use-connectors.js";
import { useMay } from "../../../api/session/use-organization.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyDone, notifyFailed } from "../../../ui/notes/notify-done.js";
import { formatCount } from "../../../ui/text/format.js";

interface EnabledSwitchProps {
  connector: Connector;
  /** Undefined while nobody knows whether messages wait. */
  delivery: Delivery | undefined;
}

/** Switches a connector on and off. Messages that would be lost, or might be, are asked about first. */
export function EnabledSwitch({ connector, delivery }: EnabledSwitchProps) {
  const isOwner = useMay("owner");
  const update = useUpdateConnector(connector.id);
  const [isAsking, setAsking] = useState(false);
  const set = async (enabled: boolean) => {
    await update.mutateAsync({ enabled });
    notifyDone(`${connector.name} is switched ${enabled ? "on" : "off"}`, () =>
      update.mutateAsync({ enabled: !enabled }),
    );
  };
  const waiting = delivery?.queued_messages;
  // A connector that only sends data has no messages.
  const isLossy = connector.when_disabled === "drop" && connector.source_url !== null && waiting !== 0;
  const messages = waiting === undefined ? "messages" : formatCount(waiting, "message");
  return (
    <>
      <Tooltip label="Only owners can switch connectors on and off." disabled={isOwner}>
        <Switch
          aria-label={`${connector.name} is switched on`}
          checked={connector.enabled}
          disabled={!isOwner || update.isPending}
          onChange={({ currentTarget: { checked } }) => {
            if (!checked && isLossy) setAsking(true);
            else set(checked).catch(notifyFailed);
          }}
        />
      </Tooltip>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Switch ${connector.name} off`}
        action={`Switch off and drop ${messages}`}
        onConfirm={() => set(false)}
      >
        {waiting === undefined
          ? "How many messages wait for this connector is not known. Those that wait"
          : `${messages} that wait for this connector`}{" "}
        will be dropped and never sent. What happens while it is switched off is not sent either.
      </ConfirmDialog>
    </>
  );
}
