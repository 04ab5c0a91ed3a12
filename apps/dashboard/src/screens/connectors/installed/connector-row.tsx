import { Anchor, Text } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import type { Delivery } from "@muster/protocol/api/deliveries";
import { Link } from "@tanstack/react-router";
import { useOrganization } from "../../../api/session/use-organization.js";
import { ConnectorPicture } from "../../../settings-form/connector-image.js";
import { formatNumber } from "../../../ui/text/format.js";
import { StatusDot } from "../../../ui/text/status-dot.js";
import type { ConnectorState } from "../connector-state.js";
import { EnabledSwitch } from "../frame/enabled-switch.js";
import { logoOf } from "../pictures.js";
import classes from "./installed-connectors.module.css";

interface ConnectorRowProps {
  connector: Connector;
  delivery: Delivery | undefined;
  state: ConnectorState;
}

export function ConnectorRow({ connector, delivery, state }: ConnectorRowProps) {
  const { id: org } = useOrganization();
  return (
    <li className={classes.row}>
      <ConnectorPicture owner={{ connectorId: connector.id }} src={logoOf(connector.manifest)} name={connector.name} />
      <Anchor
        className={classes.name}
        size="sm"
        renderRoot={(props) => <Link {...props} to="/o/$org/connectors/$id" params={{ org, id: connector.id }} />}
      >
        {connector.name}
      </Anchor>
      <div className={classes.state}>
        <StatusDot status={state.status}>{state.sentence}</StatusDot>
      </div>
      <Text className={classes.number} c={delivery?.queued_messages ? undefined : "dimmed"}>
        {delivery ? `${formatNumber(delivery.queued_messages)} waiting` : ""}
      </Text>
      <Text className={classes.number} c={delivery?.dead_letters ? "var(--bad)" : "dimmed"}>
        {delivery ? `${formatNumber(delivery.dead_letters)} given up` : ""}
      </Text>
      <EnabledSwitch connector={connector} delivery={delivery} />
    </li>
  );
}
