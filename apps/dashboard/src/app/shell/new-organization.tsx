import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { answer, api } from "../../api/client.js";
import { SESSION_KEY } from "../../api/session/use-session.js";
import { Dialog } from "../../ui/notes/dialog.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { newOrganizationRequest } from "../requests.js";
import { namespaceOf } from "./namespace-of.js";

/** Creates an organization, for those who run the server, and opens it. */
export function NewOrganization() {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [namespace, setNamespace] = useState<string>();
  const navigate = useNavigate();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (body: { name: string; namespace: string }) => answer(api.POST("/api/v1/organizations", { body })),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: SESSION_KEY });
      setOpen(false);
      void navigate({ to: "/o/$org", params: { org: id } });
    },
  });
  const { reset } = create;
  useEffect(
    () =>
      newOrganizationRequest.listen(() => {
        setName("");
        setNamespace(undefined);
        reset();
        setOpen(true);
      }),
    [reset],
  );
  const chosen = namespace ?? namespaceOf(name);
  return (
    <Dialog opened={isOpen} onClose={() => setOpen(false)} title="Create an organization">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({ name: name.trim(), namespace: chosen });
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            maxLength={200}
            required
            data-autofocus
          />
          <TextInput
            label="Namespace"
            description="Part of its address: lower-case letters, digits and hyphens. It cannot be changed later."
            value={chosen}
            onChange={({ currentTarget }) => setNamespace(currentTarget.value)}
            required
          />
          {create.error ? <ErrorNote error={create.error} /> : null}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setOpen(false)}>
              Cancel
            </Button>
            <Button type="submit" disabled={name.trim() === "" || chosen === ""} loading={create.isPending}>
              Create organization
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
