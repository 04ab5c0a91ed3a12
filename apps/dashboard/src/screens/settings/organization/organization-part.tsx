import { Button, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { answer, api, callContext, changeObject } from "../../../api/client.js";
import { useMay, useOrganization } from "../../../api/session/use-organization.js";
import { SESSION_KEY, useSession } from "../../../api/session/use-session.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyDone, notifyFailed } from "../../../ui/notes/notify-done.js";
import { Rows } from "../../../ui/table/rows.js";
import { CopyText } from "../../../ui/text/copy-text.js";
import { JoinByHints } from "./join-by-hints.js";

/** The organization: its name, its ids, and for the operator its end. */
export default function OrganizationPart() {
  const { id, name, namespace } = useOrganization();
  const { data: session } = useSession();
  const mayRename = useMay("owner");
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState(name);
  const [isDeleting, setDeleting] = useState(false);
  useEffect(() => setTyped(name), [name]);

  const rename = useMutation({
    mutationFn: (next: string) => changeObject(id, { name: next }),
    onSuccess: async (_record, next) => {
      await queryClient.invalidateQueries({ queryKey: SESSION_KEY });
      if (next !== name) notifyDone(`The organization is now called ${next}.`, () => rename.mutate(name));
    },
    onError: notifyFailed,
  });

  return (
    <Stack gap="xl" maw={760}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate(typed.trim());
        }}
      >
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Name"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            disabled={!mayRename}
            description={mayRename ? undefined : "Only owners may change it."}
            maxLength={200}
            w={320}
          />
          <Button
            type="submit"
            disabled={!mayRename || typed.trim() === "" || typed.trim() === name}
            loading={rename.isPending}
          >
            Save name
          </Button>
        </Group>
      </form>
      <Rows>
        <Rows.Row name="Namespace">{namespace}</Rows.Row>
        <Rows.Row name="Id">
          <Group gap={4}>
            {id}
            <CopyText text={id} label="Copy the id" />
          </Group>
        </Rows.Row>
      </Rows>
      <JoinByHints id={id} mayChange={mayRename} />
      {session?.is_operator ? (
        <Stack gap="xs" align="flex-start">
          <Title order={2}>Delete the organization</Title>
          <Text c="dimmed">
            All its users, accounts, events, segments and connectors are removed for good. Every call for it is refused
            from then on.
          </Text>
          <Button color="red" variant="light" onClick={() => setDeleting(true)}>
            Delete organization
          </Button>
          <ConfirmDialog
            opened={isDeleting}
            onClose={() => setDeleting(false)}
            title={`Delete ${name}?`}
            action="Delete organization"
            typeToConfirm={namespace}
            onConfirm={async () => {
              await answer(api.DELETE("/api/v1/{id}", { params: { path: { id }, query: { confirm: namespace } } }));
              callContext.organization = "";
              await queryClient.resetQueries({ queryKey: SESSION_KEY });
              await navigate({ to: "/" });
            }}
          >
            Everything that belongs to {name} is removed for good: users, accounts, events, segments, connectors and
            their settings, files and logs. This cannot be undone.
          </ConfirmDialog>
        </Stack>
      ) : null}
    </Stack>
  );
}
