import { Group, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import type { SubjectType } from "@muster/protocol";
import type { Segment } from "@muster/protocol/api/segments";
import type { Predicate } from "@muster/query";
import { Suspense, useMemo } from "react";
import { useClauseCounts } from "../../api/audience/use-segment-history.js";
import { type EditedSegment, useConverted } from "../../api/audience/use-segments.js";
import { useMay } from "../../api/session/use-organization.js";
import { asGroup, isComplete } from "../../filters/clauses.js";
import { countUnfinished, isSameJson, predicateFilter } from "../../filters/draft-filter.js";
import { FilterBuilder } from "../../filters/filter-builder.js";
import { predicateSentence } from "../../filters/predicate-sentence.js";
import { readPredicate } from "../../filters/read-predicate.js";
import { useFilterSchema } from "../../filters/use-filter-schema.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { LiveResult } from "./live-result.js";
import classes from "./segments.module.css";
import type { SegmentEditing } from "./use-segment-draft.js";

// Few people look at the JSON of a filter.
const FilterJson = lazyPart(() => import("./filter-json.js"), "FilterJson");

/** A count takes about as long, so waiting longer would only be slower. */
const TYPING_MS = 25;

/** Examples wait longer than the count, so that they do not hold up the count of the next key. */
const SETTLING_MS = 200;

export interface TabProps {
  segment: Segment | undefined;
  editing: SegmentEditing;
  subjectType: SubjectType;
}

/** The filter of a segment on the left, and whom it selects on the right. */
export function BuildTab({ segment, editing, subjectType }: TabProps) {
  const [view, setView] = useUrlState("view", "builder");
  const mayEdit = useMay("editor");
  const schema = useFilterSchema(subjectType);
  const { draft, change } = editing;
  const { filter } = draft;
  const isQuery = filter.kind === "query";
  const body = useAsked(editing.body, TYPING_MS);
  const settled = useAsked(editing.body, SETTLING_MS);
  const { segment_id: _saved, ...unsaved } = body;
  const converted = useConverted(unsaved, { isEnabled: isQuery });
  const read = isQuery
    ? converted.data?.predicate
      ? readPredicate(converted.data.predicate)
      : undefined
    : readPredicate(filter.predicate);
  const clauses = useClauseCounts(settled, { isEnabled: view !== "json" });
  // The server counts the conditions that say enough, in their order.
  const leftAfter = (predicate: Parameters<typeof asGroup>[0]) => {
    const asked = asGroup(predicate).predicates.filter(isComplete);
    const isSettled = isSameJson(settled, editing.body);
    return (clause: Predicate) =>
      isSettled && asked.length > 1 ? clauses.data?.clauses[asked.indexOf(clause)]?.count : undefined;
  };
  const incomplete = countUnfinished(filter);
  return (
    <div className={classes.columns}>
      <Stack gap="md" className={classes.build}>
        <TextInput
          label="Name"
          value={draft.name}
          maxLength={200}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
          disabled={!mayEdit}
          placeholder="Name of the segment"
          maw={420}
        />
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <Text className={classes.sentence} data-testid="segment-sentence">
            {read && "predicate" in read
              ? predicateSentence(read.predicate, { target: subjectType, schema })
              : capitalised(converted.data?.sentence ?? "")}
          </Text>
          <SegmentedControl
            aria-label="How the filter is shown"
            className={classes.view}
            data={[
              { value: "builder", label: "Builder" },
              { value: "json", label: "JSON" },
            ]}
            value={view}
            onChange={setView}
          />
        </Group>
        {view === "json" ? (
          <Suspense fallback={<PageSkeleton lines={12} />}>
            <FilterJson
              filter={filter}
              onChange={(next) => change({ filter: next })}
              unreadText={draft.unreadText}
              onUnread={(unreadText) => change({ unreadText })}
              body={body}
              isReadOnly={!mayEdit}
            />
          </Suspense>
        ) : read && "predicate" in read ? (
          <FilterBuilder
            target={subjectType}
            value={read.predicate}
            onChange={(predicate) => change({ filter: predicateFilter(predicate) })}
            schema={schema}
            isReadOnly={!mayEdit}
            leftAfter={leftAfter(read.predicate)}
          />
        ) : (
          <NotShown
            reason={
              read
                ? `${read.path} ${read.reason}`
                : converted.isPending
                  ? undefined
                  : "the query has parts that only JSON can say"
            }
          />
        )}
        {view !== "json" && draft.unreadText !== undefined ? (
          <Text c="dimmed">
            What was typed as JSON cannot be read. Correct it there, or change the filter here instead.
          </Text>
        ) : null}
        {incomplete > 0 ? (
          <Text c="dimmed">
            {incomplete === 1 ? "One condition has" : `${incomplete} conditions have`} no value yet and{" "}
            {incomplete === 1 ? "is" : "are"} not counted.
          </Text>
        ) : null}
      </Stack>
      <LiveResult
        segment={segment}
        body={body}
        settled={settled}
        isChanged={editing.isFilterChanged}
        subjectType={subjectType}
      />
    </div>
  );
}

/** What the server is asked: the draft once the person has paused for so long. */
function useAsked(body: EditedSegment, pauseMs: number): EditedSegment {
  const [text] = useDebouncedValue(JSON.stringify(body), pauseMs);
  // The text was made of a draft just now.
  return useMemo(() => JSON.parse(text) as EditedSegment, [text]);
}

function NotShown({ reason }: { reason: string | undefined }) {
  if (reason === undefined) return null;
  return <Text c="dimmed">This filter cannot be shown in the builder: {reason}. Use the JSON view to change it.</Text>;
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
