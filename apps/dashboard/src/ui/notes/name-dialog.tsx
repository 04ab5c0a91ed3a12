import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { NameField } from "../form/name-field.js";
import { SaveForm } from "../form/save-form.js";
import { Dialog } from "./dialog.js";

interface NameDialogProps {
  title: string;
  /** What is saved under the name. */
  description?: string;
  /** The words of the button. */
  saveLabel: string;
  /** The name that it has, if it has one. */
  before?: string;
  opened: boolean;
  onClose: () => void;
  onSave: (name: string) => Promise<unknown>;
}

/** Asks for the name of something that is saved. It stays open when saving is refused, with the reason. */
export function NameDialog({ title, description, saveLabel, before = "", opened, onClose, onSave }: NameDialogProps) {
  const [name, setName] = useState(before);
  const saving = useMutation({ mutationFn: onSave, onSuccess: onClose });
  const { reset } = saving;
  const isUnchanged = name.trim() === "" || name.trim() === before;
  useEffect(() => {
    if (!opened) return;
    setName(before);
    reset();
  }, [opened, before, reset]);
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <SaveForm
        saveLabel={saveLabel}
        onSave={() => saving.mutate(name.trim())}
        saving={saving}
        isDisabled={isUnchanged}
        onCancel={onClose}
      >
        <NameField description={description} value={name} onChange={setName} />
      </SaveForm>
    </Dialog>
  );
}
