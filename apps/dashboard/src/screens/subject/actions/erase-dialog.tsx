import { List, Stack, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { Report } from "@muster/protocol/api/subjects";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { subjectName } from "../../../api/audience/subject-name.js";
import { subjectKey } from "../../../api/audience/use-subject.js";
import { answer, api } from "../../../api/client.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";
import { confirmingText } from "../confirming-text.js";

interface EraseDialogProps {
  type: SubjectType;
  id: string;
  report: Report;
  opened: boolean;
  onClose: () => void;
}

/** Erases the subject for good, after its identifier was typed. */
export function EraseDialog({ type, id, report, opened, onClose }: EraseDialogProps) {
  const { id: org } = useOrganization();
  const navigate = useNavigate();
  const client = useQueryClient();
  const name = subjectName(report);
  const erase = async () => {
    await answer(api.DELETE("/api/v1/{id}", { params: { path: { id } } }));
    await navigate({ to: type === "user" ? "/o/$org/users" : "/o/$org/accounts", params: { org } });
    client.removeQueries({ queryKey: subjectKey(org, id) });
    notifyDone(`Erased ${name}. The receipt is kept under its id ${id}.`);
  };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={`Erase ${name}`}
      action={`Erase ${type}`}
      typeToConfirm={confirmingText(report)}
      onConfirm={erase}
    >
      <Stack gap="xs">
        <Text>This cannot be undone. Removed for good are:</Text>
        <List size="sm" spacing={2}>
          <List.Item>the profile, all attributes and identifiers, and what was merged into it</List.Item>
          <List.Item>
            {type === "user"
              ? "all events, sign-ins and memberships in segments"
              : "memberships in segments; its users stay, without an account"}
          </List.Item>
          <List.Item>comments, deliveries, dead letters and messages that wait to be sent</List.Item>
          <List.Item>its records in logs, and files of extracts that may hold it</List.Item>
        </List>
        <Text>
          Connectors keep what they were already sent. Later records with the same identifiers are about somebody new.
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}
