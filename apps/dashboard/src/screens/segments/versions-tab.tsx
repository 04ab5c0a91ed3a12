import { Button, Group, Stack, Text } from "@mantine/core";
import type { SegmentVersion } from "@muster/protocol/api/segment-history";
import type { Segment } from "@muster/protocol/api/segments";
import { useState } from "react";
import { useRestoreVersion, useSegmentVersions } from "../../api/audience/use-segment-history.js";
import { subjectTypeOf, useSegmentImpact } from "../../api/audience/use-segments.js";
import { useMay, useOrganization } from "../../api/session/use-organization.js";
import { storeDraft } from "../../filters/draft-store.js";
import { impactSentence } from "../../filters/impact-words.js";
import { ConfirmDialog } from "../../ui/notes/confirm-dialog.js";
import { notifyDone } from "../../ui/notes/notify-done.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { TimeText } from "../../ui/text/time-text.js";
import classes from "./segments.module.css";

/** The definitions that the segment has had: who saved which and when, what was different, and a way back. */
export function VersionsTab({ segment }: { segment: Segment }) {
  const mayEdit = useMay("editor");
  const versions = useSegmentVersions(segment);
  const [chosen, setChosen] = useState<SegmentVersion>();
  const rows = versions.data?.pages.flat() ?? [];
  if (versions.error) return <ErrorNote error={versions.error} onRetry={() => void versions.refetch()} />;
  if (!versions.data) return <PageSkeleton />;
  return (
    <Stack gap="sm" maw={760}>
      <ul className={classes.sample} aria-label="Versions">
        {rows.map((version, index) => (
          <li key={version.number} data-testid="segment-version">
            <div className={classes.version}>
              <Text fw={500}>
                Version {version.number}
                {index === 0 ? ", the present one" : ""}
              </Text>
              <Text c="dimmed">
                {version.who ?? "Saved before versions were kept"}, <TimeText time={version.saved_at} />
                {version.restored === null ? "" : `, restored from version ${version.restored}`}
              </Text>
              <Differences version={version} />
            </div>
            {index > 0 ? (
              <Button
                variant="default"
                disabled={!mayEdit}
                title={mayEdit ? undefined : "Only editors and owners can change segments."}
                onClick={() => setChosen(version)}
              >
                Restore version {version.number}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {versions.hasNextPage ? (
        <Group>
          <Button variant="default" loading={versions.isFetchingNextPage} onClick={() => void versions.fetchNextPage()}>
            Show more
          </Button>
        </Group>
      ) : null}
      {chosen ? <RestoreDialog segment={segment} version={chosen} onClose={() => setChosen(undefined)} /> : null}
    </Stack>
  );
}

function Differences({ version: { sentence, changes } }: { version: SegmentVersion }) {
  const { renamed_from: before, added, removed } = changes;
  const isOther = before !== null || added.length + removed.length > 0;
  return (
    <>
      {before === null ? null : <Text>renamed from “{before}”</Text>}
      {removed.map((words) => (
        <Text key={words} className={classes.leaving}>
          − {words}
        </Text>
      ))}
      {added.map((words) => (
        <Text key={words} className={classes.entering}>
          + {words}
        </Text>
      ))}
      {isOther ? null : <Text>{sentence}</Text>}
    </>
  );
}

interface RestoreDialogProps {
  segment: Segment;
  version: SegmentVersion;
  onClose: () => void;
}

/** Says whom restoring would move before it is done. */
function RestoreDialog({ segment, version, onClose }: RestoreDialogProps) {
  const { id: org } = useOrganization();
  const restore = useRestoreVersion(segment.id);
  const { query, predicate, number } = version;
  const body = { query, predicate, type: segment.type, segment_id: segment.id };
  const { data: impact } = useSegmentImpact(body, { isEnabled: true });
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={`Restore version ${number}?`}
      action={`Restore version ${number}`}
      isDestructive={false}
      onConfirm={async () => {
        await restore.mutateAsync(number);
        storeDraft(org, segment.id, undefined);
        notifyDone(`Version ${number} was restored.`);
      }}
    >
      <Stack gap="xs">
        <Text>{version.sentence}</Text>
        <Text>{impact ? impactSentence(impact, subjectTypeOf(segment)) : "…"}</Text>
      </Stack>
    </ConfirmDialog>
  );
}
