import { Button, Group, Stack, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { TimelineItem } from "@muster/protocol/api/history";
import { useEffect, useMemo, useRef } from "react";
import { useRefreshSubject } from "../../../api/audience/use-subject.js";
import { useSubjectNames } from "../../../api/audience/use-subject-names.js";
import { useTimeline } from "../../../api/audience/use-timeline.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { StatusDot } from "../../../ui/text/status-dot.js";
import { useAttributeLabels } from "../use-attribute-labels.js";
import { collapseRetries } from "./collapse-retries.js";
import { CommentForm } from "./comment-form.js";
import { DayGroup } from "./day-group.js";
import { groupByDay, mergeItems } from "./group-timeline.js";
import { TimelineFilters } from "./timeline-filters.js";

const NOBODY: readonly string[] = [];
// The events of further users are shown without a name.
const MAX_NAMED = 200;

/** What happened, the latest first, live. */
export function Timeline({ type, id }: { type: SubjectType; id: string }) {
  const [kinds, setKinds] = useUrlState("kinds");
  const [name, setName] = useUrlState("event");
  const { pages, live } = useTimeline(id, { kinds, name });
  const refresh = useRefreshSubject(id);
  const { refetch } = pages;

  const items = useMemo(
    () => mergeItems(pages.data?.pages.flatMap((page) => page.items) ?? [], live.data?.items ?? []),
    [pages.data, live.data],
  );
  const { days, tries } = useMemo(() => {
    const collapsed = collapseRetries(items);
    return { days: groupByDay(collapsed.items), tries: collapsed.tries };
  }, [items]);
  const names = useSubjectNames(type === "account" ? usersIn(items) : NOBODY);
  const labelOf = useAttributeLabels(type);
  const newest = items[0]?.id;
  // Null until the timeline is read. The rest of the page is read together with it.
  const known = useRef<string | undefined | null>(null);
  const isRead = pages.isSuccess;
  useEffect(() => {
    if (!isRead) return;
    // Whatever happened may have changed the rest of the page.
    if (known.current !== null && known.current !== newest) void refresh();
    known.current = newest;
  }, [isRead, newest, refresh]);
  const isFarBehind = live.data?.next !== null && live.data !== undefined;
  useEffect(() => {
    // More has happened than the live part holds.
    if (isFarBehind) void refetch();
  }, [isFarBehind, refetch]);

  const isFiltered = kinds !== "" || name !== "";
  return (
    <Stack gap="sm">
      <TimelineFilters
        type={type}
        id={id}
        items={items}
        kinds={kinds}
        setKinds={setKinds}
        name={name}
        setName={setName}
        beside={
          live.isError ? (
            <StatusDot status="bad">Not live: the last question failed</StatusDot>
          ) : (
            <StatusDot status={live.isSuccess ? "good" : "unknown"}>Live</StatusDot>
          )
        }
      />
      <CommentForm id={id} onDone={() => void live.refetch()} />
      {pages.isError ? <ErrorNote error={pages.error} onRetry={() => void refetch()} /> : null}
      {pages.isSuccess && items.length === 0 ? (
        <Text c="dimmed">
          {isFiltered
            ? "Nothing of these kinds has happened. Remove a filter to see more."
            : "Nothing has happened yet. Events, changes and deliveries appear here by themselves."}
        </Text>
      ) : null}
      {days.map((day) => (
        <DayGroup key={day.key} day={day} tries={tries} names={names} labelOf={labelOf} />
      ))}
      {pages.hasNextPage ? (
        <Group>
          <Button variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Show earlier
          </Button>
        </Group>
      ) : items.length > 0 ? (
        <Text c="dimmed" size="xs">
          This is the beginning. Deliveries are kept for 30 days.
        </Text>
      ) : null}
    </Stack>
  );
}

/** The users whose events a timeline has. */
function usersIn(items: readonly TimelineItem[]): string[] {
  const ids = items.flatMap((item) => (item.kind === "event" && item.user_id !== "" ? [item.user_id] : []));
  return [...new Set(ids)].slice(0, MAX_NAMED);
}
