import { useState } from "react";
import { useCreatePlatform } from "../../api/organization/use-platforms.js";
import { DomainsField } from "../../ui/form/domains-field.js";
import { NameField } from "../../ui/form/name-field.js";
import { SaveForm } from "../../ui/form/save-form.js";
import { Dialog } from "../../ui/notes/dialog.js";
import { notifyWhenDone } from "../../ui/notes/notify-done.js";

interface NewPlatformProps {
  isOpen: boolean;
  onClose: () => void;
  onCreated: (id: string) => void;
}

export function NewPlatform({ isOpen, ...form }: NewPlatformProps) {
  return (
    <Dialog
      opened={isOpen}
      onClose={form.onClose}
      title="Create a platform"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <PlatformForm {...form} />
    </Dialog>
  );
}

function PlatformForm({ onClose, onCreated }: Omit<NewPlatformProps, "isOpen">) {
  const create = useCreatePlatform();
  const [name, setName] = useState("");
  const [domains, setDomains] = useState<string[]>([]);
  const save = () => {
    // Somebody who has closed the dialog meanwhile stays where they are.
    const made = create.mutateAsync({ name, domains }, { onSuccess: ({ id }) => onCreated(id) });
    notifyWhenDone(made, `Platform ${name} created`);
  };
  return (
    <SaveForm
      saveLabel="Create platform"
      onSave={save}
      saving={create}
      isDisabled={name.trim() === ""}
      onCancel={onClose}
    >
      <NameField placeholder="Shop" value={name} onChange={setName} required />
      <DomainsField value={domains} onChange={setDomains} />
    </SaveForm>
  );
}
