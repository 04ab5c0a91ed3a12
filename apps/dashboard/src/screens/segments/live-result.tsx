import { Group, SegmentedControl, Stack, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { Segment, SegmentWarning } from "@muster/protocol/api/segments";
import type { Report } from "@muster/protocol/api/subjects";
import { useState } from "react";
import {
  type EditedSegment,
  useSegmentCount,
  useSegmentImpact,
  useSegmentPreview,
} from "../../api/audience/use-segments.js";
import { useHealth } from "../../api/organization/use-health.js";
import { isSameJson } from "../../filters/draft-filter.js";
import { impactSentence } from "../../filters/impact-words.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { Freshness } from "../../ui/page/freshness.js";
import { formatDuration, formatNumber, formatShare } from "../../ui/text/format.js";
import { SampleList } from "./sample-list.js";
import classes from "./segments.module.css";

interface LiveResultProps {
  segment: Segment | undefined;
  body: EditedSegment;
  /** The same once the person has stopped typing: examples are asked for then. */
  settled: EditedSegment;
  /** The filter is not the saved one. */
  isChanged: boolean;
  subjectType: SubjectType;
}

/** Whom the filter selects at present: the number first, then examples and who would enter and leave. */
export function LiveResult({ segment, body, settled, isChanged, subjectType }: LiveResultProps) {
  const count = useSegmentCount(body);
  const isCounted = count.isSuccess && !count.isPlaceholderData;
  // For the first picture, both are asked at once: nobody types yet.
  const preview = useSegmentPreview(settled, { isEnabled: isCounted || count.isLoading });
  const impact = useSegmentImpact(settled, { isEnabled: isCounted && isChanged });
  const behindMs = useHealth().data?.behind_ms;
  const isSettled = isCounted && isSameJson(settled, body);
  const { data } = count;
  return (
    <>
      <div className={classes.number} data-outdated={isCounted || count.error ? undefined : true}>
        {count.error ? (
          <ErrorNote error={count.error} />
        ) : (
          <div aria-live="polite">
            <Group align="baseline" gap="sm">
              <span className={classes.count} data-testid="segment-count">
                {data ? formatNumber(data.count) : "…"}
              </span>
              <Text c="dimmed">{data ? shareWords(data, subjectType) : ""}</Text>
            </Group>
            <Group gap="md" mt={4}>
              <Freshness behindMs={behindMs} asOf={count.dataUpdatedAt || undefined} />
              <Text c="dimmed" size="xs">
                {data ? `took ${formatDuration(data.took_ms)}` : ""}
              </Text>
            </Group>
          </div>
        )}
      </div>
      <Stack gap="md" className={classes.details}>
        {count.error ? null : <Warnings warnings={preview.data?.warnings ?? []} />}
        {isChanged && impact.data && !count.error ? (
          <Text
            className={classes.result}
            data-outdated={impact.isPlaceholderData || !isSettled || undefined}
            data-testid="segment-impact"
          >
            If you save: {impactSentence(impact.data, subjectType)}
          </Text>
        ) : null}
        {preview.error && !count.error ? (
          <ErrorNote error={preview.error} onRetry={() => void preview.refetch()} />
        ) : null}
        {preview.data && !count.error ? (
          <div className={classes.result} data-outdated={preview.isPlaceholderData || !isSettled || undefined}>
            <Samples
              preview={preview.data}
              subjectType={subjectType}
              segmentId={segment?.id}
              hasMoves={segment !== undefined && isChanged}
            />
          </div>
        ) : null}
      </Stack>
    </>
  );
}

/** What is probably wrong with the filter: the API's own sentences. */
function Warnings({ warnings }: { warnings: readonly SegmentWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <div role="status">
      {warnings.map(({ message }) => (
        <Text key={message} c="var(--late)">
          {message}
        </Text>
      ))}
    </div>
  );
}

function shareWords({ count, total }: { count: number; total: number }, subjectType: SubjectType): string {
  const share = formatShare(total === 0 ? 0 : count / total);
  return `${count === 1 ? subjectType : `${subjectType}s`}, ${share} of ${formatNumber(total)}`;
}

interface Sample {
  count: number;
  sample: readonly Report[];
}

interface SamplesProps {
  preview: Sample & { entering: Sample; leaving: Sample };
  subjectType: SubjectType;
  segmentId: string | undefined;
  /** Whether saving would change who is in. */
  hasMoves: boolean;
}

function Samples({ preview, subjectType, segmentId, hasMoves }: SamplesProps) {
  const [chosen, setChosen] = useState<"all" | "entering" | "leaving">("all");
  const which = hasMoves ? chosen : "all";
  const shown = which === "all" ? preview : preview[which];
  return (
    <Stack gap="xs">
      {hasMoves ? (
        <SegmentedControl
          aria-label="Which of them"
          data={[
            { value: "all", label: "All" },
            { value: "entering", label: `+${formatNumber(preview.entering.count)} entering` },
            { value: "leaving", label: `−${formatNumber(preview.leaving.count)} leaving` },
          ]}
          value={which}
          // The choices are these three.
          onChange={(next) => setChosen(next as typeof chosen)}
        />
      ) : null}
      <SampleList
        reports={shown.sample}
        total={shown.count}
        subjectType={subjectType}
        explained={which === "all" ? undefined : segmentId}
      />
    </Stack>
  );
}
