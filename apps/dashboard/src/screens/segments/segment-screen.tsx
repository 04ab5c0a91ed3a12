import type { SubjectType } from "@muster/protocol";
import { useParams } from "@tanstack/react-router";
import { subjectTypeOf, useSegment } from "../../api/audience/use-segments.js";
import { NEW_SEGMENT } from "../../filters/draft-store.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { Page } from "../../ui/page/page.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { SegmentPage } from "./segment-page.js";
import { useStoredFilter } from "./use-segment-draft.js";

/** One segment, saved or new. */
export function SegmentScreen() {
  const { id = NEW_SEGMENT } = useParams({ strict: false });
  const isNew = id === NEW_SEGMENT;
  const [of] = useUrlState("of", "user");
  const { data: segment, error, refetch } = useSegment(isNew ? undefined : id);
  const stored = useStoredFilter(segment);
  const problem = error ?? stored.error;
  if (problem && !segment) {
    return (
      <Page title="Segment">
        <ErrorNote error={problem} onRetry={() => void refetch()} />
      </Page>
    );
  }
  if (!stored.data || (!isNew && !segment)) return <Page title="Segment">{null}</Page>;
  const subjectType: SubjectType = segment ? subjectTypeOf(segment) : of === "account" ? "account" : "user";
  return (
    <SegmentPage
      key={`${id} ${segment?.updated_at ?? of}`}
      segment={isNew ? undefined : segment}
      saved={stored.data}
      subjectType={subjectType}
    />
  );
}
