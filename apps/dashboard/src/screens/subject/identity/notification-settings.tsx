import { ActionIcon, Button, Group, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { PlusIcon, XIcon } from "@primer/octicons-react";
import { type FormEvent, useState } from "react";
import { useRefreshSubject, useUserRecord } from "../../../api/audience/use-subject.js";
import { changeObject } from "../../../api/client.js";
import { useMay } from "../../../api/session/use-organization.js";
import { notifyDone, notifyFailed } from "../../../ui/notes/notify-done.js";

type Notifications = Readonly<Record<string, unknown>>;

/** Which notifications a user wants. Apps read them in the user's record; the names are theirs. */
export function NotificationSettings({ id }: { id: string }) {
  const record = useUserRecord(id, true);
  const refresh = useRefreshSubject(id);
  const mayChange = useMay("editor");
  if (!record.data) return null;
  const { notifications } = record.data;
  const save = async (next: Notifications, done: string | undefined): Promise<void> => {
    try {
      await changeObject(id, { settings: { notifications: next } });
      await refresh();
      if (done !== undefined) notifyDone(done, () => void save(notifications, undefined));
    } catch (error) {
      notifyFailed(error);
    }
  };
  const set = (name: string, value: unknown, done: string) => void save({ ...notifications, [name]: value }, done);
  const remove = (name: string) => {
    const { [name]: _removed, ...others } = notifications;
    void save(others, `${name} is removed`);
  };
  const names = Object.keys(notifications);
  return (
    <Stack gap="xs" component="section" aria-label="Notifications">
      <Title order={3}>Notifications</Title>
      <Text c="dimmed">
        {names.length === 0
          ? "Nothing is set. Apps that send messages may read here which of them the user wants."
          : "Apps that send messages may read here which of them the user wants."}
      </Text>
      {names.map((name) => {
        const value = notifications[name];
        return (
          <Group key={name} gap="xs" justify="space-between" wrap="nowrap" maw={420}>
            {typeof value === "boolean" ? (
              <Switch
                label={name}
                checked={value}
                disabled={!mayChange}
                onChange={({ currentTarget: { checked } }) =>
                  set(name, checked, `${name} is ${checked ? "on" : "off"}`)
                }
              />
            ) : (
              <Text style={{ overflowWrap: "anywhere" }}>
                {name}: {typeof value === "string" ? value : JSON.stringify(value)}
              </Text>
            )}
            <ActionIcon color="gray" aria-label={`Remove ${name}`} disabled={!mayChange} onClick={() => remove(name)}>
              <XIcon size={14} />
            </ActionIcon>
          </Group>
        );
      })}
      {mayChange ? <NewSetting names={names} onAdd={(name) => set(name, true, `${name} is on`)} /> : null}
    </Stack>
  );
}

function NewSetting({ names, onAdd }: { names: readonly string[]; onAdd: (name: string) => void }) {
  const [text, setText] = useState("");
  const name = text.trim();
  const isKnown = names.includes(name);
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (name === "" || isKnown) return;
    onAdd(name);
    setText("");
  };
  return (
    <form onSubmit={add}>
      <Group gap="xs" align="flex-start">
        <TextInput
          aria-label="Name of a notification"
          placeholder="weekly_summary"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={isKnown ? "It is set already." : undefined}
          maxLength={200}
        />
        <Button type="submit" variant="default" leftSection={<PlusIcon size={14} />} disabled={name === "" || isKnown}>
          Add
        </Button>
      </Group>
    </form>
  );
}
