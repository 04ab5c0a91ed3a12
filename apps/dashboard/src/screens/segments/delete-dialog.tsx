import { Stack, Text } from "@mantine/core";
import type { Segment, SegmentUse } from "@muster/protocol/api/segments";
import { useNavigate } from "@tanstack/react-router";
import { sentenceOf } from "../../api/api-error.js";
import {
  sizeOf,
  subjectTypeOf,
  useSegmentChanges,
  useSegmentImpact,
  useSegmentUse,
} from "../../api/audience/use-segments.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { storeDraft } from "../../filters/draft-store.js";
import { messagesSentence } from "../../filters/impact-words.js";
import { ConfirmDialog } from "../../ui/notes/confirm-dialog.js";
import { notifyDone } from "../../ui/notes/notify-done.js";
import { formatCount } from "../../ui/text/format.js";

interface DeleteDialogProps {
  segment: Segment;
  onClose: () => void;
}

/** Asks before a segment is deleted, and says what happens then. */
export function DeleteDialog({ segment, onClose }: DeleteDialogProps) {
  const { id: org } = useOrganization();
  const navigate = useNavigate();
  const { remove } = useSegmentChanges();
  const use = useSegmentUse(segment.id);
  // Deleting a segment is as if nobody matched it any more: all its members leave.
  const nobody = { query: { match_none: {} }, predicate: {}, type: segment.type, segment_id: segment.id };
  const impact = useSegmentImpact(nobody, { isEnabled: true });
  const size = sizeOf(segment);
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={`Delete the segment “${segment.name}”?`}
      action="Delete segment"
      isReady={!use.isFetching && !impact.isFetching}
      onConfirm={async () => {
        await remove.mutateAsync(segment.id);
        storeDraft(org, segment.id, undefined);
        notifyDone(`The segment “${segment.name}” was deleted.`);
        await navigate({ to: "/o/$org/segments", params: { org } });
      }}
    >
      <Stack gap="xs">
        <Text>
          {size === 0
            ? "It has no members."
            : `${formatCount(size, subjectTypeOf(segment))} ${size === 1 ? "leaves" : "leave"} it.`}{" "}
          {impact.data ? messagesSentence(impact.data) : impact.error ? "" : "…"} Its history is not shown any more.
          This cannot be undone.
        </Text>
        {impact.error && !impact.data ? (
          <Text>What connectors will be told is not known: {sentenceOf(impact.error)}</Text>
        ) : null}
        {use.data ? (
          <Uses use={use.data} />
        ) : (
          <Text>{use.error ? `Which connectors and segments use it is not known: ${sentenceOf(use.error)}` : "…"}</Text>
        )}
      </Stack>
    </ConfirmDialog>
  );
}

function Uses({ use: { connectors, segments } }: { use: SegmentUse }) {
  if (connectors.length + segments.length === 0) return <Text>No connector and no other segment uses it.</Text>;
  return (
    <>
      {connectors.length > 0 ? (
        <Text>
          {connectors.map(({ name }) => name).join(", ")} {connectors.length === 1 ? "uses" : "use"} it in the settings,
          and will not send anybody by it any more.
        </Text>
      ) : null}
      {segments.length > 0 ? (
        <Text>
          {formatCount(segments.length, "segment")} {segments.length === 1 ? "asks" : "ask"} about it:{" "}
          {segments.map(({ name }) => name).join(", ")}. {segments.length === 1 ? "It finds" : "They find"} nobody in it
          any more.
        </Text>
      ) : null}
    </>
  );
}
