import type { SubjectType } from "@muster/protocol";
import { useParams } from "@tanstack/react-router";
import { subjectTypeOf, useSegment } from "../../api/audience/use-segments.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { NEW_SEGMENT, newDraftId } from "../../filters/draft-store.js";
import { Page } from "../../ui/page/page.js";
import { ScreenError } from "../../ui/page/screen-error.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { SegmentPage } from "./segment-page.js";
import { useEarlyResult, useStoredFilter } from "./use-segment-draft.js";

/** One segment, saved or new. */
export function SegmentScreen() {
  const { id = NEW_SEGMENT } = useParams({ strict: false });
  const { id: org } = useOrganization();
  const isNew = id === NEW_SEGMENT;
  const [of] = useUrlState("of", "user");
  const [draftNumber] = useUrlState("draft", "");
  const { data: segment, error, refetch } = useSegment(isNew ? undefined : id);
  const [tab] = useUrlState("tab", "build");
  const stored = useStoredFilter(segment);
  useEarlyResult(segment, { isEnabled: tab === "build" && stored.isPending });
  const problem = error ?? stored.error;
  if (problem && !segment) {
    return (
      <Page title="Segment">
        <ScreenError
          error={problem}
          onRetry={() => void refetch()}
          noun="segment"
          list={{ href: `/o/${org}/segments`, name: "All segments" }}
        />
      </Page>
    );
  }
  if (!stored.data || (!isNew && !segment))
    return (
      <Page title="Segment">
        <PageSkeleton />
      </Page>
    );
  const subjectType: SubjectType = segment ? subjectTypeOf(segment) : of === "account" ? "account" : "user";
  const draftId = isNew ? newDraftId(subjectType, draftNumber) : id;
  return (
    <SegmentPage
      key={draftId}
      draftId={draftId}
      segment={isNew ? undefined : segment}
      saved={stored.data}
      subjectType={subjectType}
    />
  );
}
