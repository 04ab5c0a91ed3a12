import { SegmentedControl, Text } from "@mantine/core";
import type { InsightQuestion } from "@muster/protocol/api/insights";
import { Suspense, useMemo } from "react";
import { type InsightAnswer, useInsightAnswer } from "../../api/audience/use-insights.js";
import type { FilterSchema } from "../../filters/filter-schema.js";
import { kindOf, mostFrequentWords } from "../../insights/insight-words.js";
import type { OpenNumber } from "../../insights/number-button.js";
import { TrendChart } from "../../insights/trend-chart.js";
import { TrendTable } from "../../insights/trend-table.js";
import { EmptyState } from "../../ui/page/empty-state.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import classes from "./insights-screen.module.css";

const FunnelSteps = lazyPart(() => import("../../insights/funnel-steps.js"), "FunnelSteps");
const RetentionTable = lazyPart(() => import("../../insights/retention-table.js"), "RetentionTable");

interface InsightResultProps {
  question: InsightQuestion | undefined;
  schema: FilterSchema;
  onOpen: OpenNumber;
}

/** The numbers of the question. The old ones stay, dimmed, until the new ones are there. */
export function InsightResult({ question, schema, onOpen }: InsightResultProps) {
  const { data, error, refetch, isPlaceholderData } = useInsightAnswer(question);
  if (question === undefined) {
    return <EmptyState title="Something is missing">Choose a property or a segment for each series.</EmptyState>;
  }
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  // The numbers of another kind of question cannot be drawn as this one.
  if (!data || data.kind !== kindOf(question)) return null;
  const cut = isPlaceholderData ? undefined : mostFrequentWords(question, data);
  return (
    <section
      aria-label="Result"
      aria-busy={isPlaceholderData}
      className={`${classes.result} ${isPlaceholderData ? classes.outdated : ""}`}
    >
      <Suspense fallback={null}>
        {/* Numbers of the question before lead nowhere: the users under them would be those of this one. */}
        <Drawn
          question={question}
          data={data}
          schema={schema}
          onOpen={(number) => isPlaceholderData || onOpen?.(number)}
        />
      </Suspense>
      {cut ? <Text c="dimmed">{cut}</Text> : null}
    </section>
  );
}

function Drawn({
  question,
  data,
  schema,
  onOpen,
}: InsightResultProps & { question: InsightQuestion; data: InsightAnswer }) {
  const [shape, setShape] = useUrlState("shape", "line", { replace: true });
  const segmentNames = useMemo(() => new Map(schema.segments.map(({ id, name }) => [id, name])), [schema]);
  const { trend, funnel } = question;
  if (data.kind === "trend" && trend) {
    const drawn = { asked: trend.series, answer: data.answer, segmentNames };
    if (data.answer.series.length === 0) {
      return <EmptyState title="No values">No event of this time has a value of the breakdown.</EmptyState>;
    }
    return (
      <>
        <SegmentedControl
          aria-label="Shape"
          data={[
            { value: "line", label: "Lines" },
            { value: "bars", label: "Bars" },
          ]}
          value={shape}
          onChange={setShape}
          w="fit-content"
        />
        <TrendChart {...drawn} kind={shape === "bars" ? "bars" : "line"} label="Trend" />
        <TrendTable {...drawn} onOpen={onOpen} />
      </>
    );
  }
  if (data.kind === "funnel" && funnel) {
    if (data.answer.groups.length === 0) {
      return <EmptyState title="No values">Nobody who began has a value of the breakdown.</EmptyState>;
    }
    return <FunnelSteps asked={funnel} answer={data.answer} onOpen={onOpen} />;
  }
  return data.kind === "retention" ? <RetentionTable answer={data.answer} onOpen={onOpen} /> : null;
}
