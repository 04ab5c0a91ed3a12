import { Text } from "@mantine/core";
import type { InsightQuestion } from "@muster/protocol/api/insights";
import { useInsightAnswer } from "../api/audience/use-insights.js";
import { useSegments } from "../api/audience/use-segments.js";
import { ErrorNote } from "../ui/page/error-note.js";
import { FunnelSteps } from "./funnel-steps.js";
import { RetentionTable } from "./retention-table.js";
import { TrendChart } from "./trend-chart.js";

/** The numbers of a saved insight, small, for a card. */
export function InsightPreview({ question, label }: { question: InsightQuestion; label: string }) {
  const { data, error, refetch } = useInsightAnswer(question);
  const { data: segments = [] } = useSegments({ isLive: false });
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <Text c="dimmed">…</Text>;
  const { trend, funnel } = question;
  if (data.kind === "trend" && trend) {
    const segmentNames = new Map(segments.map(({ id, name }) => [id, name]));
    const drawn = { asked: trend.series, answer: data.answer, segmentNames };
    return <TrendChart {...drawn} height={150} label={label} />;
  }
  if (data.kind === "funnel" && funnel) return <FunnelSteps asked={funnel} answer={data.answer} onOpen={undefined} />;
  return data.kind === "retention" ? <RetentionTable answer={data.answer} onOpen={undefined} /> : null;
}
