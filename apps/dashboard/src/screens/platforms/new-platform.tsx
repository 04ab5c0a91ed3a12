import { Button, Group, Stack, TagsInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { usePlatformChanges } from "../../api/organization/use-platforms.js";
import { Dialog } from "../../ui/notes/dialog.js";
import { ErrorNote } from "../../ui/page/error-note.js";

interface NewPlatformProps {
  isOpen: boolean;
  onClose: () => void;
  onCreated: (id: string) => void;
}

export function NewPlatform({ isOpen, onClose, onCreated }: NewPlatformProps) {
  const { create } = usePlatformChanges();
  const [name, setName] = useState("");
  const [domains, setDomains] = useState<string[]>([]);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    try {
      const { id } = await create({ name, domains });
      onCreated(id);
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog opened={isOpen} onClose={onClose} title="Create a platform" closeButtonProps={{ "aria-label": "Close" }}>
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
          {error === undefined ? null : <ErrorNote error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} disabled={name.trim() === ""}>
              Create platform
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
