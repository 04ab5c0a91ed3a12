import { TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api } from "../../api/client.js";
import { SESSION_KEY } from "../../api/session/use-session.js";
import { NameField } from "../../ui/form/name-field.js";
import { SaveForm } from "../../ui/form/save-form.js";
import { notifyWhenDone } from "../../ui/notes/notify-done.js";
import { namespaceOf } from "./namespace-of.js";

/** The name of a new organization, and the namespace that follows from it. */
export default function OrganizationForm({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [namespace, setNamespace] = useState<string>();
  const navigate = useNavigate();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (body: { name: string; namespace: string }) => answer(api.POST("/api/v1/organizations", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: SESSION_KEY }),
  });
  const chosen = namespace ?? namespaceOf(name);
  // Somebody who has closed the dialog meanwhile stays where they are.
  const open = ({ id }: { id: string }) => {
    onClose();
    void navigate({ to: "/o/$org", params: { org: id } });
  };
  const save = () => {
    const made = create.mutateAsync({ name: name.trim(), namespace: chosen }, { onSuccess: open });
    notifyWhenDone(made, `Organization ${name.trim()} created`);
  };
  return (
    <SaveForm
      saveLabel="Create organization"
      onSave={save}
      saving={create}
      isDisabled={name.trim() === "" || chosen === ""}
      onCancel={onClose}
    >
      <NameField value={name} onChange={setName} required />
      <TextInput
        label="Namespace"
        description="Part of its address: lower-case letters, digits and hyphens. It cannot be changed later."
        value={chosen}
        onChange={({ currentTarget }) => setNamespace(currentTarget.value)}
        required
      />
    </SaveForm>
  );
}
