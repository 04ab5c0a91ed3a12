import { Group, SegmentedControl, Stack, Text } from "@mantine/core";
import type { FigureRange } from "@muster/protocol/api/deliveries";
import { FIGURE_RANGES, useDelivery, useDeliveryFigures } from "../../../api/deliveries/use-deliveries.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { formatDuration, formatNumber } from "../../../ui/text/format.js";
import { StatusDot } from "../../../ui/text/status-dot.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { CausesTable } from "./causes-table.js";
import { DeliveryCharts } from "./delivery-charts.js";
import { DeliveryFunnel } from "./delivery-funnel.js";
import { deliverySentence, ratePerMinute } from "./delivery-sentence.js";
import classes from "./overview.module.css";
import { Schedules } from "./schedules.js";
import { Section } from "./section.js";
import { ServiceCalls } from "./service-calls.js";
import { StatusHistory } from "./status-history.js";

/** Is it working, and what did it do? */
export function OverviewTab({ connectorId }: { connectorId: string }) {
  const [range, setRange] = useUrlState("range", "hour");
  const chosen = FIGURE_RANGES.find(({ value }) => value === range)?.value ?? "hour";
  const delivery = useDelivery(connectorId);
  const figures = useDeliveryFigures(connectorId, chosen);
  const lastHour = useDeliveryFigures(connectorId, "hour");
  const sentence = delivery.data ? deliverySentence(delivery.data, Date.now()) : undefined;
  return (
    <Stack gap="lg" className={classes.tab}>
      <Group justify="space-between" align="center">
        {sentence ? <StatusDot status={sentence.status}>{sentence.text}</StatusDot> : <Text c="dimmed">Reading …</Text>}
        <SegmentedControl
          aria-label="How far back"
          data={[...FIGURE_RANGES]}
          value={chosen}
          onChange={(value) => setRange(value as FigureRange)}
        />
      </Group>
      {delivery.error ? <ErrorNote error={delivery.error} onRetry={() => void delivery.refetch()} /> : null}
      {delivery.data ? (
        <dl className={classes.figures}>
          <Figure name="In the queue" value={formatNumber(delivery.data.queued_messages)} />
          <Figure
            name="Delivered a minute"
            value={lastHour.data ? formatNumber(ratePerMinute(lastHour.data.points)) : "unknown"}
          />
          <Figure
            name={`Longest wait in this ${chosen}`}
            value={figures.data ? formatDuration(figures.data.total.lag_ms) : "unknown"}
          />
          <Figure name="Messages a call" value={`up to ${formatNumber(delivery.data.batch_size)}`} />
          <Figure name="Dead letters kept" value={formatNumber(delivery.data.dead_letters)} />
          <Figure name="Last delivered" value={<TimeText time={delivery.data.last_sent_at} />} />
        </dl>
      ) : null}
      {figures.error ? <ErrorNote error={figures.error} onRetry={() => void figures.refetch()} /> : null}
      {figures.data ? (
        <div data-outdated={figures.isPlaceholderData || undefined} className={classes.parts}>
          <DeliveryCharts figures={figures.data} />
          <div className={classes.columns}>
            <Section title="What became of the messages">
              <DeliveryFunnel total={figures.data.total} />
            </Section>
            <Section title="Why calls failed">
              <CausesTable causes={figures.data.causes} />
            </Section>
          </div>
        </div>
      ) : null}
      <ServiceCalls connectorId={connectorId} range={chosen} />
      <Schedules connectorId={connectorId} />
      <Section title="Status">
        <StatusHistory connectorId={connectorId} />
      </Section>
    </Stack>
  );
}

function Figure({ name, value }: { name: string; value: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
