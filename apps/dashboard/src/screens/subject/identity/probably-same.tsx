import { Anchor, Button, Group, Stack, Text, Title, Tooltip } from "@mantine/core";
import type { ProbablySame as Candidate, SubjectIdentity } from "@muster/protocol/api/history";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useRefreshSubject } from "../../../api/audience/use-subject.js";
import { answer, api } from "../../../api/client.js";
import { useMay, useOrganization } from "../../../api/session/use-organization.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";

interface ProbablySameProps {
  id: string;
  same: readonly Candidate[];
  identifiers: SubjectIdentity["identifiers"];
}

/** Visitors who typed an email that this user has proved, or the user who has proved the email that this visitor typed. */
export function ProbablySame({ id, same, identifiers }: ProbablySameProps) {
  const { id: org } = useOrganization();
  const may = useMay("editor");
  const refresh = useRefreshSubject(id);
  const navigate = useNavigate();
  const [joining, setJoining] = useState<Candidate>();
  const join = async (candidate: Candidate) => {
    // The visitor always becomes part of the user with the proof.
    const userId = candidate.proved ? candidate.id : id;
    const [anonymousId] = candidate.proved ? (identifiers.anonymous_id ?? []) : candidate.anonymous_ids;
    if (anonymousId === undefined) throw new Error("The visitor has no anonymous id any more.");
    const call = { params: { path: { id: userId } }, body: { anonymous_id: anonymousId } };
    await answer(api.POST("/api/v1/{id}/alias", call));
    await refresh();
    notifyDone("The visitor is part of the user now");
    if (userId !== id) await navigate({ to: `/o/${org}/users/${userId}` });
  };
  return (
    <Stack gap={6} component="section" aria-label="Probably the same">
      <Title order={3}>Probably the same</Title>
      <Text c="dimmed">
        A visitor typed the email of a known user. Everybody can type it, so they are joined by a sign-in in that
        browser, or by you.
      </Text>
      {same.map((candidate) => (
        <Group key={candidate.id} justify="space-between" wrap="nowrap" align="flex-start">
          <Text component="div" style={{ overflowWrap: "anywhere" }}>
            <Anchor component={Link} to={`/o/${org}/users/${candidate.id}`} inherit>
              {candidate.name ?? candidate.email}
            </Anchor>
            <Text span c="dimmed" ml={6}>
              {candidate.proved ? "has proved" : "typed"} {candidate.email}
            </Text>
          </Text>
          <Tooltip label={may ? "Makes one user of both" : "Viewers cannot join users"}>
            <Button variant="default" size="compact-xs" disabled={!may} onClick={() => setJoining(candidate)}>
              Join
            </Button>
          </Tooltip>
        </Group>
      ))}
      <ConfirmDialog
        opened={joining !== undefined}
        onClose={() => setJoining(undefined)}
        title="Join the visitor and the user"
        action="Join them"
        onConfirm={async () => {
          if (joining) await join(joining);
        }}
      >
        Events and values of the visitor become part of the user. Values stay marked as unproved, and values with proof
        stay as they are. The merge can be undone later, in the same panel.
      </ConfirmDialog>
    </Stack>
  );
}
