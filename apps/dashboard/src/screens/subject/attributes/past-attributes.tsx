import { Group, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import { useSegmentsOf } from "../../../api/audience/use-segments-of.js";
import { useSubjectPast } from "../../../api/audience/use-subject.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { TextLink } from "../../../ui/page/text-link.js";
import { formatCount, formatTime } from "../../../ui/text/format.js";
import { AttributeGroups } from "./attribute-groups.js";

interface PastAttributesProps {
  type: SubjectType;
  id: string;
  at: string;
  filter: string;
}

/** What was known at a moment: the attributes, and the segments that it was in. */
export function PastAttributes({ type, id, at, filter }: PastAttributesProps) {
  const { id: org } = useOrganization();
  const past = useSubjectPast(type, id, at);
  const { data: segments = [] } = useSegmentsOf(type);
  if (past.isError) return <ErrorNote error={past.error} onRetry={() => void past.refetch()} />;
  if (!past.data) return null;
  const { attributes, segmentIds } = past.data;
  const notKept = past.data.past?.not_kept ?? [];
  return (
    <>
      <Text role="status">
        As it was on {formatTime(at)}.{" "}
        {notKept.length === 0
          ? ""
          : `${formatCount(notKept.length, "attribute")} left out, because changes are not tracked: ${notKept.join(", ")}.`}
      </Text>
      <Group gap={6} role="group" aria-label="Segments then">
        <Text c="dimmed">{segmentIds.length === 0 ? "In no segment." : "In"}</Text>
        {segmentIds.map((segmentId) => (
          <TextLink key={segmentId} to="/o/$org/segments/$id" params={{ org, id: segmentId }}>
            {segments.find((one) => one.id === segmentId)?.name ?? "a deleted segment"}
          </TextLink>
        ))}
      </Group>
      <AttributeGroups attributes={attributes} type={type} filter={filter} />
    </>
  );
}
