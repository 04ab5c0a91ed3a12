import { Text } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import { useMay } from "../../../api/session/use-organization.js";
import { SettingsForm } from "../../../settings-form/settings-form.js";
import { objectsIn } from "../../../ui/code/json-parts.js";
import { DeliveryOptions } from "./delivery-options.js";
import classes from "./settings-tab.module.css";

/** The settings of a connector. While it must be set up, it says what comes first. */
export function SettingsTab({ connector }: { connector: Connector }) {
  const isOwner = useMay("owner");
  const { status, messages } = connector.status;
  return (
    <>
      {status === "setupRequired" && isOwner ? (
        <div className={classes.note}>
          <Text fw={500}>Set the connector up first</Text>
          <Text>
            {messages.length > 0 ? `${messages.join(" ")} ` : ""}
            Give its credentials. The other sections open when the connector reports that it has accepted them.
          </Text>
        </div>
      ) : null}
      {isOwner ? null : (
        <Text c="dimmed" mb="md">
          Only owners see the private settings and change settings, because they hold secrets.
        </Text>
      )}
      <SettingsForm key={connector.id} connector={connector} mayEdit={isOwner} mayOpenPages={isOwner} />
      {getsMessages(connector) ? <DeliveryOptions connector={connector} mayEdit={isOwner} /> : null}
    </>
  );
}

function getsMessages({ source_url: sourceUrl, manifest }: Connector): boolean {
  return sourceUrl !== null && objectsIn(manifest.subscriptions).length > 0;
}
