import { Switch, Tooltip } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import { useState } from "react";
import { useUpdateConnector } from "../../../api/connectors/use-connectors.js";
import { useMay } from "../../../api/session/use-organization.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyDone, notifyFailed } from "../../../ui/notes/notify-done.js";
import { formatCount } from "../../../ui/text/format.js";

/** Switches a connector on and off. Messages that would be lost are asked about first. */
export function EnabledSwitch({ connector, waiting }: { connector: Connector; waiting: number }) {
  const isOwner = useMay("owner");
  const update = useUpdateConnector(connector.id);
  const [isAsking, setAsking] = useState(false);
  const set = async (enabled: boolean) => {
    await update.mutateAsync({ enabled });
    notifyDone(`${connector.name} is switched ${enabled ? "on" : "off"}`, () =>
      update.mutateAsync({ enabled: !enabled }),
    );
  };
  const isLossy = connector.when_disabled === "drop" && waiting > 0;
  const messages = formatCount(waiting, "message");
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
        {messages} that wait for this connector will be dropped and never sent. What happens while it is switched off is
        not sent either.
      </ConfirmDialog>
    </>
  );
}
