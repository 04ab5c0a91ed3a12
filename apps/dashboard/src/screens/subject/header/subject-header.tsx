import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { JoinedSegment } from "@muster/protocol/api/segments";
import type { Report } from "@muster/protocol/api/subjects";
import { Link } from "@tanstack/react-router";
import { subjectName } from "../../../api/audience/subject-name.js";
import { useIdentity } from "../../../api/audience/use-subject.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { usePanel } from "../use-panel.js";
import { IdentifierLine } from "./identifier-line.js";
import { SegmentChips } from "./segment-chips.js";

interface SubjectHeaderProps {
  type: SubjectType;
  id: string;
  report: Report & { segments: JoinedSegment[] };
}

/** Identifiers, account, when it was seen, and segments. */
export function SubjectHeader({ type, id, report }: SubjectHeaderProps) {
  const { id: org } = useOrganization();
  const [, openPanel] = usePanel();
  const identity = useIdentity(id);
  const account = report.account as Report | null | undefined;
  const merges = identity.data?.merges.length ?? 0;
  const isProbablySame = (identity.data?.probably_same.length ?? 0) > 0;
  return (
    <Stack gap={8}>
      <Group gap="4px 12px">
        <IdentifierLine id={id} identifiers={identity.data?.identifiers ?? {}} />
        <Button variant="subtle" onClick={() => openPanel({ kind: "identity", about: "" })}>
          {merges === 0 ? "Identity" : merges === 1 ? "Identity, 1 merge" : `Identity, ${merges} merges`}
          {isProbablySame ? ", probably the same as another user" : ""}
        </Button>
      </Group>
      <Group gap="2px 20px">
        {type === "user" ? (
          <Text c="dimmed">
            Account{" "}
            {account ? (
              <Anchor component={Link} to={`/o/${org}/accounts/${account.id}`} inherit underline="always">
                {subjectName(account)}
              </Anchor>
            ) : (
              "none"
            )}
          </Text>
        ) : null}
        <Text c="dimmed">
          Known since <TimeText time={String(report.created_at ?? "")} />
        </Text>
        {type === "user" ? (
          <Text c="dimmed">
            Last seen <TimeText time={String(report.last_seen_at ?? "")} />
          </Text>
        ) : null}
      </Group>
      <SegmentChips segments={report.segments} />
    </Stack>
  );
}
