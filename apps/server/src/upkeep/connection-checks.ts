import type { HealthCheck } from "@muster/protocol/api/operations";
import { countDescriptors, readDescriptorLimit } from "../runtime/measures/descriptors.js";
import type { Metrics } from "../runtime/measures/metrics.js";
import { good } from "./health-check.js";

/** The connections of clients to this process. */
export interface ConnectionFigures {
  readonly open: number;
  readonly most: number;
  /** How many were closed at once, because there were too many. */
  readonly refused: number;
}

/** From here on an operator should act: new connections and files need what is left. */
const MUCH = 0.8;

/** Whether this process has connections and descriptors left. */
export async function checkConnections(connections: ConnectionFigures): Promise<HealthCheck[]> {
  const limit = readDescriptorLimit();
  return [judgeConnections(connections, { open: await countDescriptors(), limit })];
}

export function judgeConnections(
  { open, most, refused }: ConnectionFigures,
  descriptors: { open: number | undefined; limit: number | undefined },
): HealthCheck {
  const name = "Connections";
  const files =
    descriptors.open === undefined || descriptors.limit === undefined
      ? ""
      : ` ${count(descriptors.open)} of ${count(descriptors.limit)} descriptors are open.`;
  const lost = refused === 0 ? "" : ` ${count(refused)} were closed at once since the start.`;
  const message = `Clients have ${count(open)} of ${count(most)} connections open.${lost}${files}`;
  const isMuch = open > most * MUCH || (descriptors.open ?? 0) > (descriptors.limit ?? Number.POSITIVE_INFINITY) * MUCH;
  if (!isMuch) return good(name, message);
  const advice = "Look where they come from (`ss -tn`). For more of them, raise the limit of open files (LimitNOFILE).";
  return { name, status: "late", message, advice };
}

/** Shows the connections as metrics. The descriptors are among the metrics of the process. */
export function readConnectionGauges(metrics: Metrics, figures: ConnectionFigures): void {
  const { connections, connectionsLimit, refusedConnections } = metrics;
  metrics.scrapes.add({
    name: "connections",
    gauges: [connections, connectionsLimit],
    read: async () => () => {
      connections.set(figures.open);
      connectionsLimit.set(figures.most);
      refusedConnections.reset();
      refusedConnections.inc(figures.refused);
    },
  });
}

function count(number: number): string {
  return number.toLocaleString("en");
}
