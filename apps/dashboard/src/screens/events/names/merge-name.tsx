import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useMergeEvents } from "../../../api/audience/use-event-names.js";
import { useMay } from "../../../api/session/use-organization.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";

interface MergeNameProps {
  name: string;
  /** Gets the id of the job that renames the stored events. */
  onStarted: (jobId: string) => void;
}

/** Merges a name of events into another. */
export function MergeName({ name, onStarted }: MergeNameProps) {
  const [into, setInto] = useState("");
  const [isAsking, setAsking] = useState(false);
  const mayEdit = useMay("editor");
  const merging = useMergeEvents();
  const wanted = into.trim();
  return (
    <Stack gap="xs">
      <Group align="flex-end">
        <TextInput
          label="Merge into another name"
          placeholder="The name that stays"
          flex={1}
          maxLength={512}
          value={into}
          onChange={({ currentTarget }) => setInto(currentTarget.value)}
        />
        <Button
          variant="default"
          disabled={!mayEdit || wanted === "" || wanted === name}
          onClick={() => setAsking(true)}
        >
          Merge
        </Button>
      </Group>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Merge ${name} into ${wanted}`}
        action="Merge the names"
        isDestructive={false}
        onConfirm={async () => onStarted((await merging.mutateAsync({ from: name, into: wanted })).id)}
      >
        <Text>
          All stored events are called {wanted} then, and so are events that arrive as {name}. Segments and insights
          that ask for {name} find the events of both. The merge can be undone: each event keeps the name that it came
          with.
        </Text>
      </ConfirmDialog>
    </Stack>
  );
}
