import { Text } from "@mantine/core";
import type { ConnectorState } from "@muster/protocol/api/overview";
import { Link } from "@tanstack/react-router";
import { useOrganization } from "../../api/session/use-organization.js";
import { formatNumber } from "../../ui/text/format.js";
import { StatusDot } from "../../ui/text/status-dot.js";
import { connectorSentence } from "./connector-sentence.js";
import classes from "./list.module.css";
import { Part } from "./part.js";

const SHOWN = 8;

/** The connectors, those with trouble first. */
export function ConnectorList({ connectors }: { connectors: readonly ConnectorState[] }) {
  const { id: org } = useOrganization();
  return (
    <Part place="connectors" title="Connectors" beside="the last hour">
      {connectors.length === 0 ? (
        <Text c="dimmed">
          No connector is installed.{" "}
          <Link to="/o/$org/connectors" params={{ org }} className={classes.action}>
            Install one
          </Link>
        </Text>
      ) : null}
      <ul className={classes.list}>
        {connectors.slice(0, SHOWN).map((connector) => {
          const { status, text } = connectorSentence(connector);
          return (
            <li key={connector.id} className={classes.row}>
              <div className={classes.grow}>
                <Link to="/o/$org/connectors/$id" params={{ org, id: connector.id }} className={classes.name}>
                  {connector.name}
                </Link>
                <StatusDot status={status}>{text}</StatusDot>
              </div>
              {connector.receives ? (
                <span className={classes.figures}>
                  {formatNumber(connector.sent_last_hour)} sent
                  {connector.failed_last_hour > 0 ? `, ${formatNumber(connector.failed_last_hour)} failed` : ""}
                </span>
              ) : null}
            </li>
          );
        })}
      </ul>
      {connectors.length > SHOWN ? (
        <Text mt="xs">
          <Link to="/o/$org/connectors" params={{ org }} className={classes.action}>
            All {formatNumber(connectors.length)} connectors
          </Link>
        </Text>
      ) : null}
    </Part>
  );
}
