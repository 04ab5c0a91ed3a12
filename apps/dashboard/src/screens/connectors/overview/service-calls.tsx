import { Text } from "@mantine/core";
import type { FigureRange } from "@muster/protocol/api/deliveries";
import { useMemo } from "react";
import { useServiceCalls } from "../../../api/connectors/use-service-calls.js";
import { type Series, TimeChart } from "../../../ui/charts/time-chart.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { formatCount, formatNumber } from "../../../ui/text/format.js";
import { TimeText } from "../../../ui/text/time-text.js";
import classes from "./overview.module.css";
import { Section } from "./section.js";

/** Calls of the connector to its service, and how many more the service allowed. Most connectors report neither. */
export function ServiceCalls({ connectorId, range }: { connectorId: string; range: FigureRange }) {
  const { data, error, refetch, isPlaceholderData } = useServiceCalls(connectorId, range);
  const points = data?.points;
  const times = useMemo(() => points?.map(({ at }) => Date.parse(at)) ?? [], [points]);
  const calls = useMemo((): Series[] => {
    return [{ name: "Calls", values: points?.map((point) => point.calls) ?? [], kind: "bars" }];
  }, [points]);
  const remaining = useMemo((): Series[] => {
    const values = points?.map((point) => point.remaining) ?? [];
    return [{ name: "Calls left", values, kind: "bars", colour: "--good-fill" }];
  }, [points]);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data || data.last.at === null) return null;
  return (
    <div data-outdated={isPlaceholderData || undefined} className={classes.parts}>
      <div className={classes.columns}>
        <Section title="Calls to its service">
          <Text c="dimmed">
            {formatCount(data.total.calls, "call")} in this {range}. Last reported <TimeText time={data.last.at} />.
          </Text>
          <TimeChart times={times} series={calls} label="Calls of the connector to its service over time" />
        </Section>
        <Section title="Calls that the service still allowed">
          <Text c="dimmed">
            {data.last.remaining === null
              ? "The connector has not said how many are left."
              : `${formatNumber(data.last.remaining)} at the last report. Bars show the least.`}
          </Text>
          <TimeChart times={times} series={remaining} label="Calls that the service still allowed over time" />
        </Section>
      </div>
    </div>
  );
}
