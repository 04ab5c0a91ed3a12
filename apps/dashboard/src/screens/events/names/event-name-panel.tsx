import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { DAY_MS } from "@muster/protocol";
import type { EventVolume } from "@muster/protocol/api/events";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useEventProperties } from "../../../api/audience/use-event-names.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { eventFilter, filterSearch } from "../../../filters/filter-link.js";
import { TimeChart } from "../../../ui/charts/time-chart.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { Facts } from "../../../ui/page/facts.js";
import { SidePanel } from "../../../ui/page/side-panel.js";
import { formatCount, formatNumber } from "../../../ui/text/format.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { PlanSection } from "./plan-section.js";
import { PropertyList } from "./property-list.js";
import { sourcesInWords } from "./sources-in-words.js";

interface EventNamePanelProps {
  name: string;
  volume: EventVolume | undefined;
  onClose: () => void;
}

/** One name of events: volume by day, and properties. */
export function EventNamePanel({ name, volume, onClose }: EventNamePanelProps) {
  return (
    <SidePanel title={name} onClose={onClose} width={640}>
      <Details name={name} volume={volume} />
    </SidePanel>
  );
}

function Details({ name, volume }: Omit<EventNamePanelProps, "onClose">) {
  const { id: org } = useOrganization();
  return (
    <Stack>
      {volume ? (
        <>
          <DayChart days={volume.days} name={name} />
          <Facts
            facts={[
              {
                name: "Recorded",
                value: `${formatNumber(volume.count)} in all, ${formatNumber(volume.last_24_hours)} in the last 24 hours`,
              },
              { name: "First", value: <TimeText time={volume.first_at} /> },
              { name: "Last", value: <TimeText time={volume.last_at} /> },
              { name: "Sources", value: sourcesInWords(volume.sources) },
            ]}
          />
        </>
      ) : null}
      <Group>
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link {...props} to="/o/$org/users" params={{ org }} search={filterSearch(eventFilter(name))} />
          )}
        >
          Show users who did this
        </Button>
        <Button
          variant="default"
          renderRoot={(props) => <Link {...props} to="/o/$org/events" params={{ org }} search={{ event: name }} />}
        >
          Watch it live
        </Button>
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link {...props} to="/o/$org/events" params={{ org }} search={{ tab: "history", event: name }} />
          )}
        >
          Show its history
        </Button>
      </Group>
      <Properties name={name} />
      <PlanSection key={name} name={name} />
    </Stack>
  );
}

function DayChart({ days, name }: { days: readonly number[]; name: string }) {
  const times = useMemo(() => {
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    return days.map((_, index) => today - (days.length - 1 - index) * DAY_MS);
  }, [days]);
  const series = useMemo(() => [{ name, values: days, kind: "bars" as const }], [name, days]);
  return <TimeChart times={times} series={series} height={140} label={`${name} on each of the last 30 days`} />;
}

function Properties({ name }: { name: string }) {
  const { data, error, refetch } = useEventProperties(name);
  return (
    <Stack gap="xs">
      <Title order={2}>Properties</Title>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data ? (
        <>
          <Text c="dimmed">
            {data.sampled === data.count
              ? `Of all ${formatCount(data.count, "event")}.`
              : `Of the latest ${formatNumber(data.sampled)} of ${formatCount(data.count, "event")}.`}
          </Text>
          <PropertyList properties={data.properties} sampled={data.sampled} />
        </>
      ) : null}
    </Stack>
  );
}
