import { useOverview } from "../../api/organization/use-overview.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { Freshness } from "../../ui/page/freshness.js";
import { Page } from "../../ui/page/page.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { AttentionList } from "./attention-list.js";
import { Checklist } from "./checklist.js";
import { ConnectorList } from "./connector-list.js";
import { Figures } from "./figures.js";
import { FirstRecord } from "./first-record.js";
import { FirstSteps } from "./first-steps.js";
import { GrowthChart } from "./growth-chart.js";
import classes from "./home-screen.module.css";
import { InsightCards } from "./insight-cards.js";
import { MovingSegments } from "./moving-segments.js";
import { RecordsChart } from "./records-chart.js";
import { StageLags } from "./stage-lags.js";

/** Is it alive, what changed, what needs me? */
export function HomeScreen() {
  const { data, error, refetch, dataUpdatedAt } = useOverview();
  const isEmpty = data !== undefined && !data.intake.any && data.users + data.accounts === 0;
  return (
    <Page
      title="Home"
      beside={data ? <Freshness behindMs={error ? undefined : data.lag.behind_ms} asOf={dataUpdatedAt} /> : null}
    >
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data ? <Checklist overview={data} /> : error ? null : <PageSkeleton />}
      {data && isEmpty ? <FirstSteps connectors={data.connectors} /> : null}
      {data && !isEmpty ? (
        <>
          <FirstRecord overview={data} />
          <Figures overview={data} />
          <div className={classes.cards}>
            <InsightCards />
          </div>
          <div className={classes.columns}>
            <AttentionList items={data.attention} />
            <RecordsChart minutes={data.intake.minutes} />
            <StageLags lag={data.lag} />
            <GrowthChart />
            <ConnectorList connectors={data.connectors} />
            <MovingSegments />
          </div>
        </>
      ) : null}
    </Page>
  );
}
