import { Button } from "@mantine/core";
import type { Credentials } from "@muster/protocol/api/connectors";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../../api/client.js";
import { NameField } from "../../../ui/form/name-field.js";
import { SaveForm } from "../../../ui/form/save-form.js";
import { Dialog } from "../../../ui/notes/dialog.js";

interface CreateCredentialsProps {
  mayCreate: boolean;
  onCreated: (credentials: Credentials) => void;
}

/** Creates an id and a secret for a program. */
export function CreateCredentials({ mayCreate, onCreated }: CreateCredentialsProps) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: () => answer(api.POST("/api/v1/connectors", { body: { name: name.trim() } })),
    onSuccess: (credentials) => {
      setOpen(false);
      setName("");
      onCreated(credentials);
    },
  });
  return (
    <>
      <Button
        onClick={() => setOpen(true)}
        disabled={!mayCreate}
        title={mayCreate ? undefined : "Only owners may create credentials."}
      >
        Create credentials
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title="Create credentials">
        <SaveForm
          saveLabel="Create credentials"
          onSave={create.mutate}
          saving={create}
          isDisabled={name.trim() === ""}
          onCancel={() => setOpen(false)}
        >
          <NameField
            description="The program that will use them, such as “Website backend”."
            value={name}
            onChange={setName}
          />
        </SaveForm>
      </Dialog>
    </>
  );
}
