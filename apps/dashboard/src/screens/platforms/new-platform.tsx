import { Button, Group, Stack, TagsInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { useCreatePlatform } from "../../api/organization/use-platforms.js";
import { Dialog } from "../../ui/notes/dialog.js";
import { notifyDone } from "../../ui/notes/notify-done.js";
import { ErrorNote } from "../../ui/page/error-note.js";

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
  // Somebody who has closed the dialog meanwhile stays where they are: the callbacks of `mutate` are not called then.
  const submit = () =>
    create.mutateAsync({ name, domains }, { onSuccess: ({ id }) => onCreated(id) }).then(
      () => notifyDone(`Platform ${name} created`),
      () => undefined,
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          placeholder="Shop"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={200}
          required
          data-autofocus
        />
        <TagsInput
          label="Allowed domains"
          description="Hosts whose pages may use it, such as shop.example.com, or *.example.com for all hosts under it. Press Enter after each."
          value={domains}
          onChange={setDomains}
          acceptValueOnBlur
          splitChars={[",", " "]}
        />
        {create.error ? <ErrorNote error={create.error} /> : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ""}>
            Create platform
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
