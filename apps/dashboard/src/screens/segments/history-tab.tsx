import { Stack, Text, Title } from "@mantine/core";
import type { Segment } from "@muster/protocol/api/segments";
import { useMemo } from "react";
import { subjectTypeOf, useSegmentChart } from "../../api/audience/use-segments.js";
import { type Series, TimeChart } from "../../ui/charts/time-chart.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { formatCount, formatNumber } from "../../ui/text/format.js";
import { MovesList } from "./moves-list.js";
import { PastMembers } from "./past-members.js";

const DAYS = 90;

/** How the segment grew and shrank. */
export function HistoryTab({ segment }: { segment: Segment }) {
  const { data, error, refetch } = useSegmentChart(segment.id, DAYS);
  const drawn = useMemo(() => {
    const points = data?.points ?? [];
    const size: Series[] = [{ name: "Size", values: points.map((point) => point.size) }];
    const moves: Series[] = [
      { name: "Entered", values: points.map(({ entered }) => entered), colour: "--good-fill", kind: "bars" },
      { name: "Left", values: points.map(({ left }) => left), colour: "--bad-fill", kind: "bars" },
    ];
    return { times: points.map(({ at }) => Date.parse(at)), size, moves };
  }, [data]);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  const total = (key: "entered" | "left") => data.points.reduce((sum, point) => sum + point[key], 0);
  const noun = subjectTypeOf(segment);
  return (
    <Stack gap="lg" maw={960}>
      <div>
        <Title order={2}>Size in the last {DAYS} days</Title>
        <TimeChart times={drawn.times} series={drawn.size} label={`Size of ${segment.name} by day`} />
      </div>
      <div>
        <Title order={2}>Entered and left</Title>
        <Text c="dimmed">
          {formatCount(total("entered"), noun)} entered and {formatNumber(total("left"))} left.
        </Text>
        <TimeChart times={drawn.times} series={drawn.moves} label={`Moves of ${segment.name} by day`} />
      </div>
      <PastMembers segment={segment} />
      <MovesList segment={segment} />
    </Stack>
  );
}
