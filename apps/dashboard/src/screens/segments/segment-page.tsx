import { Alert, Tabs } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { Segment } from "@muster/protocol/api/segments";
import { Suspense } from "react";
import type { DraftFilter } from "../../filters/draft-filter.js";
import { Page } from "../../ui/page/page.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { SegmentActions } from "./segment-actions.js";
import { SegmentNotes } from "./segment-notes.js";
import { SegmentStatus } from "./segment-status.js";
import { SEGMENT_TABS } from "./segment-tabs.js";
import classes from "./segments.module.css";
import { useSegmentDraft } from "./use-segment-draft.js";

const BuildTab = lazyPart(SEGMENT_TABS.build, "BuildTab");
const HistoryTab = lazyPart(SEGMENT_TABS.history, "HistoryTab");
const VersionsTab = lazyPart(SEGMENT_TABS.versions, "VersionsTab");
const MembersTab = lazyPart(SEGMENT_TABS.members, "MembersTab");
const UsesTab = lazyPart(SEGMENT_TABS.uses, "UsesTab");

interface SegmentPageProps {
  /** Missing while the segment is new. */
  segment: Segment | undefined;
  saved: DraftFilter;
  draftId: string;
  subjectType: SubjectType;
}

/** A segment with its tabs. */
export function SegmentPage({ segment, saved, draftId, subjectType }: SegmentPageProps) {
  const [tab, setTab] = useUrlState("tab", "build");
  const editing = useSegmentDraft({ segment, saved, draftId, subjectType });
  return (
    <Page
      title={segment ? segment.name : `New segment of ${subjectType}s`}
      beside={segment ? <SegmentStatus segment={segment} /> : null}
      actions={<SegmentActions segment={segment} saved={saved} editing={editing} subjectType={subjectType} />}
      fills
    >
      {segment?.status === "broken" ? (
        <Alert color="red" variant="light" radius={0} p="sm" title="This segment cannot be evaluated">
          {segment.error} It keeps the members it had. Change the filter to repair it.
        </Alert>
      ) : null}
      {segment ? <SegmentNotes segment={segment} /> : null}
      {segment ? (
        <Tabs value={tab} onChange={(next) => setTab(next ?? undefined)} className={classes.tabs} keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="build">Build</Tabs.Tab>
            <Tabs.Tab value="members">Members</Tabs.Tab>
            <Tabs.Tab value="history">History</Tabs.Tab>
            <Tabs.Tab value="versions">Versions</Tabs.Tab>
            <Tabs.Tab value="uses">Used by</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="build" className={classes.panel}>
            <Suspense fallback={<PageSkeleton lines={12} />}>
              <BuildTab segment={segment} editing={editing} subjectType={subjectType} />
            </Suspense>
          </Tabs.Panel>
          <Tabs.Panel value="members" className={classes.filled}>
            <Suspense fallback={<PageSkeleton lines={12} />}>
              <MembersTab segment={segment} />
            </Suspense>
          </Tabs.Panel>
          <Tabs.Panel value="history" className={classes.panel}>
            <Suspense fallback={<PageSkeleton />}>
              <HistoryTab segment={segment} />
            </Suspense>
          </Tabs.Panel>
          <Tabs.Panel value="versions" className={classes.panel}>
            <Suspense fallback={<PageSkeleton />}>
              <VersionsTab segment={segment} />
            </Suspense>
          </Tabs.Panel>
          <Tabs.Panel value="uses" className={classes.panel}>
            <Suspense fallback={<PageSkeleton />}>
              <UsesTab segment={segment} />
            </Suspense>
          </Tabs.Panel>
        </Tabs>
      ) : (
        <div className={classes.panel}>
          <Suspense fallback={<PageSkeleton lines={12} />}>
            <BuildTab segment={undefined} editing={editing} subjectType={subjectType} />
          </Suspense>
        </div>
      )}
    </Page>
  );
}
