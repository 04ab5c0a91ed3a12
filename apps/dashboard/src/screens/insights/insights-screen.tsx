import { Button, SegmentedControl, Text } from "@mantine/core";
import type { InsightQuestion } from "@muster/protocol/api/insights";
import { DownloadIcon } from "@primer/octicons-react";
import { useNavigate } from "@tanstack/react-router";
import { Suspense, useEffect, useMemo, useState } from "react";
import { readInsightCsv, useSavedInsights } from "../../api/audience/use-insights.js";
import { SchemaProblem } from "../../filters/schema-problem.js";
import { useFilterSchema } from "../../filters/use-filter-schema.js";
import { completeQuestion, type InsightKind, kindOf } from "../../insights/insight-words.js";
import type { ChosenNumber } from "../../insights/number-button.js";
import { notifyFailed } from "../../ui/notes/notify-done.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { Page } from "../../ui/page/page.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { completeChoice } from "./event-choice.js";
import { FIRST_QUESTIONS } from "./first-questions.js";
import { InsightResult } from "./insight-result.js";
import { asksTheSame, readQuestion } from "./question-address.js";
import { SavedMenu } from "./saved-menu.js";
import { TrendBuilder } from "./trend-builder.js";

const FunnelBuilder = lazyPart(() => import("./funnel-builder.js"), "FunnelBuilder");
const RetentionBuilder = lazyPart(() => import("./retention-builder.js"), "RetentionBuilder");
const PeoplePanel = lazyPart(() => import("./people-panel.js"), "PeoplePanel");

const KINDS: { value: InsightKind; label: string }[] = [
  { value: "trend", label: "Trend" },
  { value: "funnel", label: "Funnel" },
  { value: "retention", label: "Retention" },
];

/** How do events move, how far do users come, who comes back? The question is in the address. */
export function InsightsScreen() {
  const [text] = useUrlState("q");
  const [savedId] = useUrlState("saved");
  const navigate = useNavigate();
  const schema = useFilterSchema("user");
  const saved = useSavedInsights();
  const current = saved.data?.find(({ id }) => String(id) === savedId);
  const question = useMemo(() => (text === "" && current ? current.question : readQuestion(text)), [text, current]);
  const isMissing = text === "" && savedId !== "" && !current;
  const isRead = !isMissing || saved.isSuccess;
  const asked = useMemo(() => (isRead ? completeQuestion(withoutUnfinished(question)) : undefined), [question, isRead]);
  // The number keeps its question: the list under it, and a segment that is made of it, must be what its title says.
  const [chosen, setChosen] = useState<ChosenNumber & { asked: InsightQuestion }>();
  const shown = chosen && asked && asksTheSame(chosen.asked, asked) ? chosen : undefined;
  // Only a click opens the panel: it stays closed when somebody goes back to the question.
  useEffect(() => {
    if (!shown) setChosen(undefined);
  }, [shown]);
  // The panel stays while it closes.
  const [hasPanel, setHasPanel] = useState(false);
  const open = (number: ChosenNumber) => {
    if (!asked) return;
    setHasPanel(true);
    setChosen({ ...number, asked });
  };
  const show = (next: InsightQuestion, id = savedId) =>
    void navigate({
      to: ".",
      replace: true,
      search: (before) => ({ ...before, q: JSON.stringify(next), saved: id === "" ? undefined : id }),
    });
  return (
    <Page
      title="Insights"
      actions={
        <>
          <SavedMenu
            question={question}
            current={current}
            onShow={(insight) => show(insight ? insight.question : question, insight ? String(insight.id) : "")}
          />
          <Button
            variant="default"
            leftSection={<DownloadIcon size={14} />}
            disabled={asked === undefined}
            onClick={() => asked && void download(asked, current?.name ?? kindOf(asked))}
          >
            CSV
          </Button>
        </>
      }
    >
      {isRead ? (
        <>
          {isMissing ? (
            <Text c="dimmed" mb="xs">
              The saved insight was removed. This is the question that the screen begins with.
            </Text>
          ) : null}
          <SegmentedControl
            aria-label="Kind of insight"
            data={KINDS}
            value={kindOf(question)}
            // The choices are the kinds.
            onChange={(kind) => show(FIRST_QUESTIONS[kind as InsightKind], "")}
            mb="md"
          />
          <SchemaProblem schema={schema} />
          {question.trend ? (
            <TrendBuilder value={question.trend} onChange={(trend) => show({ trend })} schema={schema} />
          ) : null}
          <Suspense fallback={null}>
            {question.funnel ? (
              <FunnelBuilder value={question.funnel} onChange={(funnel) => show({ funnel })} schema={schema} />
            ) : null}
            {question.retention ? (
              <RetentionBuilder
                value={question.retention}
                onChange={(retention) => show({ retention })}
                schema={schema}
              />
            ) : null}
          </Suspense>
          <InsightResult question={asked} schema={schema} onOpen={open} />
        </>
      ) : saved.error ? (
        <ErrorNote error={saved.error} onRetry={() => void saved.refetch()} />
      ) : (
        <PageSkeleton />
      )}
      <Suspense fallback={null}>
        {hasPanel ? <PeoplePanel chosen={shown} onClose={() => setChosen(undefined)} /> : null}
      </Suspense>
    </Page>
  );
}

/** The question without conditions that have no value yet. */
function withoutUnfinished({ trend, funnel, retention }: InsightQuestion): InsightQuestion {
  if (trend) return { trend: { ...trend, series: trend.series.map(completeChoice) } };
  if (funnel) return { funnel: { ...funnel, steps: funnel.steps.map(completeChoice) } };
  const { start, return: comeback, ...rest } = retention ?? FIRST_QUESTIONS.retention.retention!;
  return {
    retention: {
      ...rest,
      ...(start ? { start: completeChoice(start) } : {}),
      ...(comeback ? { return: completeChoice(comeback) } : {}),
    },
  };
}

async function download(question: InsightQuestion, name: string): Promise<void> {
  try {
    const address = URL.createObjectURL(await readInsightCsv(question));
    const link = document.createElement("a");
    link.href = address;
    link.download = `${name}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  } catch (error) {
    notifyFailed(error);
  }
}
