import { Text } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import { useRefreshManifest } from "../../../api/connectors/use-connectors.js";
import { useSchedules } from "../../../api/connectors/use-schedules.js";
import { useMay } from "../../../api/session/use-organization.js";
import { SettingsForm } from "../../../settings-form/settings-form.js";
import { objectsIn } from "../../../ui/code/json-parts.js";
import { UnreachableNote } from "../unreachable-note.js";
import { DeliveryOptions } from "./delivery-options.js";
import classes from "./settings-tab.module.css";

/** The settings of a connector. While it must be set up, it says what comes first. */
export function SettingsTab({ connector }: { connector: Connector }) {
  const isOwner = useMay("owner");
  const { status, messages } = connector.status;
  return (
    <>
      {connector.source_url === null ? null : <Unreachable connector={connector} />}
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

/** While the connector does not answer when it is asked for its status: what to do. It goes away by itself. */
function Unreachable({ connector }: { connector: Connector }) {
  const { data: schedules } = useSchedules(connector.id);
  const refresh = useRefreshManifest(connector.id);
  const failed = schedules?.find(({ kind, last_result: result }) => kind === "status" && isNoAnswer(result));
  if (!failed || connector.source_url?.startsWith("muster:")) return null;
  return (
    <UnreachableNote isChecking={refresh.isPending} onCheck={() => refresh.mutate()}>
      The connector was asked for its status. {failed.last_result}
    </UnreachableNote>
  );
}

/** An answer with a wrong status comes from the connector: it runs. */
function isNoAnswer(result: string | null): boolean {
  return result !== null && /cannot be reached|did not answer/.test(result);
}

function getsMessages({ source_url: sourceUrl, manifest }: Connector): boolean {
  return sourceUrl !== null && objectsIn(manifest.subscriptions).length > 0;
}
