import { Alert, Switch } from "@mantine/core";
import type { WriteKey } from "@muster/protocol/api/write-keys";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useWriteKeyChanges } from "../../../api/connectors/use-write-keys.js";
import { DomainsField } from "../../../ui/form/domains-field.js";
import { NameField } from "../../../ui/form/name-field.js";
import { NamesField } from "../../../ui/form/names-field.js";
import { SaveForm } from "../../../ui/form/save-form.js";
import { Dialog } from "../../../ui/notes/dialog.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";

interface KeyDialogProps {
  connectorId: string;
  kind: WriteKey["kind"];
  /** The key that is changed; without it a new one is created. */
  edited?: WriteKey;
  opened: boolean;
  onClose: () => void;
}

const RISK =
  "Anybody who opens your website or unpacks your app can read this key. With this switch on, they can write as any of your users, by user id or e-mail address: change attributes, join profiles, record events. Leave it off unless every page of these domains is behind a sign-in and you trust everybody who can sign in.";

/** Creates a write key, or changes one. */
export function KeyDialog({ connectorId, kind, edited, opened, onClose }: KeyDialogProps) {
  const { create, update } = useWriteKeyChanges(connectorId);
  const [name, setName] = useState(edited?.name ?? "");
  const [domains, setDomains] = useState(edited?.domains ?? []);
  const [apps, setApps] = useState(edited?.apps ?? []);
  const [isTrusted, setTrusted] = useState(edited?.trust_identify ?? false);
  const ofPage = kind === "page" ? { domains, apps, trust_identify: isTrusted } : {};
  const saving = useMutation({
    mutationFn: () =>
      edited ? update(edited.id, { name: name.trim(), ...ofPage }) : create({ kind, name: name.trim(), ...ofPage }),
    onSuccess: (saved) => {
      notifyDone(edited ? `${saved.name} is saved` : `${saved.name} is created`);
      onClose();
    },
  });
  const words = kind === "page" ? "page key" : "server key";
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={edited ? `Edit ${edited.name}` : `Create a ${words}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <SaveForm
        saveLabel={edited ? "Save key" : `Create ${words}`}
        onSave={saving.mutate}
        saving={saving}
        isDisabled={name.trim() === ""}
        onCancel={onClose}
      >
        <NameField
          description={
            kind === "page"
              ? "What uses it. A page key is public: your pages and apps carry it."
              : "What uses it. Keep the key secret: what is sent with it is believed."
          }
          placeholder={kind === "page" ? "Website" : "Billing service"}
          value={name}
          onChange={setName}
          required
        />
        {kind === "page" ? (
          <>
            <DomainsField value={domains} onChange={setDomains} />
            <NamesField
              label="Allowed apps"
              description="Their names as the SDK sends them (context.app.namespace), such as com.example.shop."
              value={apps}
              onChange={setApps}
            />
            <Switch
              label="Trust who its calls say they are"
              description={isTrusted ? undefined : RISK}
              checked={isTrusted}
              onChange={({ currentTarget: { checked } }) => setTrusted(checked)}
            />
            {isTrusted ? (
              <Alert color="red" variant="light" role="status">
                {RISK}
              </Alert>
            ) : null}
          </>
        ) : null}
      </SaveForm>
    </Dialog>
  );
}
