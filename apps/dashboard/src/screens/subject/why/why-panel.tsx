import { Anchor, Select, Stack, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { JoinedSegment } from "@muster/protocol/api/segments";
import { Link } from "@tanstack/react-router";
import { useSegmentsOf } from "../../../api/audience/use-segments-of.js";
import { useExplanation } from "../../../api/audience/use-subject.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { StatusDot } from "../../../ui/text/status-dot.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { usePanel } from "../use-panel.js";
import { ClauseList } from "./clause-list.js";

interface WhyPanelProps {
  type: SubjectType;
  id: string;
  /** The segments that the subject is in. */
  segments: readonly JoinedSegment[];
  /** Empty until one is chosen. */
  segmentId: string;
}

/** Says for one segment, clause by clause, why the subject is in it or not. */
export function WhyPanel({ type, id, segments, segmentId }: WhyPanelProps) {
  const { id: org } = useOrganization();
  const [, openPanel] = usePanel();
  const all = useSegmentsOf(type);
  const explanation = useExplanation(id, segmentId);
  const joined = segments.find((segment) => segment.id === segmentId);
  const chosen = all.data?.find((segment) => segment.id === segmentId);
  return (
    <Stack>
      <Select
        label="Segment"
        placeholder="Choose a segment"
        searchable
        nothingFoundMessage="No segment has this name."
        data={(all.data ?? []).map(({ id: value, name }) => ({ value, label: name }))}
        value={segmentId === "" ? null : segmentId}
        onChange={(value) => openPanel({ kind: "why", about: value ?? "" })}
      />
      {segmentId === "" ? <Text c="dimmed">Choose any segment to see which of its clauses hold.</Text> : null}
      {chosen?.status === "broken" ? (
        <Text c="var(--bad)">This segment cannot be evaluated: {chosen.error} It keeps the members it had.</Text>
      ) : null}
      {explanation.isError ? (
        <ErrorNote error={explanation.error} onRetry={() => void explanation.refetch()} />
      ) : segmentId !== "" && explanation.data ? (
        <>
          <StatusDot status={explanation.data.matches ? "good" : "unknown"}>
            {joined ? (
              <>
                In this segment since <TimeText time={joined.entered_at} />.
              </>
            ) : (
              "Not in this segment."
            )}
          </StatusDot>
          {explanation.data.matches !== (joined !== undefined) ? (
            <Text c="dimmed">
              {explanation.data.matches ? "All that is needed holds now" : "It does not match any more"}: the membership
              follows within seconds.
            </Text>
          ) : null}
          <ClauseList clauses={explanation.data.clauses} />
          <Anchor component={Link} to={`/o/${org}/segments/${segmentId}`} size="sm">
            Open the segment
          </Anchor>
        </>
      ) : null}
    </Stack>
  );
}
