import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { answer, api } from "../../api/client.js";
import { SESSION_KEY } from "../../api/session/use-session.js";
import { Dialog } from "../../ui/notes/dialog.js";
import { notifyDone } from "../../ui/notes/notify-done.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { newOrganizationRequest } from "../requests.js";
import { namespaceOf } from "./namespace-of.js";

/** Creates an organization, for those who run the server, and opens it. */
export function NewOrganization() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => newOrganizationRequest.listen(() => setOpen(true)), []);
  const close = () => setOpen(false);
  return (
    <Dialog opened={isOpen} onClose={close} title="Create an organization">
      <OrganizationForm onClose={close} />
    </Dialog>
  );
}

function OrganizationForm({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [namespace, setNamespace] = useState<string>();
  const navigate = useNavigate();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (body: { name: string; namespace: string }) => answer(api.POST("/api/v1/organizations", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: SESSION_KEY }),
  });
  const chosen = namespace ?? namespaceOf(name);
  // Somebody who has closed the dialog meanwhile stays where they are: the callbacks of `mutate` are not called then.
  const save = () =>
    create
      .mutateAsync(
        { name: name.trim(), namespace: chosen },
        {
          onSuccess: ({ id }) => {
            onClose();
            void navigate({ to: "/o/$org", params: { org: id } });
          },
        },
      )
      .then(
        () => notifyDone(`Organization ${name.trim()} created`),
        () => undefined,
      );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
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
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={name.trim() === "" || chosen === ""} loading={create.isPending}>
            Create organization
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
