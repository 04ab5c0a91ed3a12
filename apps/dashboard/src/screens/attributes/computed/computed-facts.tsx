import "@mantine/core/styles/Radio.css";
import { Button, Group, Progress, Radio, Stack, Text } from "@mantine/core";
import type { ComputedAttribute } from "@muster/protocol/api/computed-attributes";
import { useState } from "react";
import { useComputedChanges } from "../../../api/audience/use-computed-attributes.js";
import { useMay } from "../../../api/session/use-organization.js";
import { computeSentence } from "../../../filters/compute-words.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";
import { formatCount, formatNumber } from "../../../ui/text/format.js";
import { TimeText } from "../../../ui/text/time-text.js";

interface ComputedFactsProps {
  computed: ComputedAttribute;
  onEdit: () => void;
  onDeleted: () => void;
}

/** How an attribute is computed, how far that has come, and how it is changed. */
export function ComputedFacts({ computed, onEdit, onDeleted }: ComputedFactsProps) {
  const mayEdit = useMay("editor");
  const [isAsking, setAsking] = useState(false);
  const [values, setValues] = useState<"delete" | "keep">("delete");
  const { remove } = useComputedChanges();
  const { id, name, target, compute } = computed;
  return (
    <Stack gap="xs">
      <Text fw={500} style={{ overflowWrap: "anywhere" }}>
        {computeSentence(compute)}
      </Text>
      <ComputedState computed={computed} />
      <Group gap="xs">
        <Button variant="default" disabled={!mayEdit} onClick={onEdit}>
          Edit the definition
        </Button>
        <Button color="red" variant="subtle" disabled={!mayEdit} onClick={() => setAsking(true)}>
          Delete
        </Button>
      </Group>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Delete ${name}`}
        action={values === "delete" ? "Delete with its values" : "Delete the definition"}
        onConfirm={async () => {
          await remove.mutateAsync({ id, values });
          notifyDone(`${name} is not computed any more`);
          onDeleted();
        }}
      >
        <Radio.Group
          label="It is not computed any more."
          value={values}
          // The choices are these two.
          onChange={(chosen) => setValues(chosen as typeof values)}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="delete" label={`Remove the values: every ${target} loses its value. There is no way back.`} />
            <Radio value="keep" label="Keep the values, as those of an ordinary attribute that anybody may write." />
          </Stack>
        </Radio.Group>
      </ConfirmDialog>
    </Stack>
  );
}

function ComputedState({
  computed: { status, error, progress, computed_at: at, target },
}: {
  computed: ComputedAttribute;
}) {
  if (status === "broken") {
    return (
      <Text c="var(--bad)" role="status">
        It cannot be computed: {error} The values stay as they were.
      </Text>
    );
  }
  if (status === "ok") {
    return (
      <Text c="dimmed" role="status">
        True for everybody
        {at === null ? (
          ""
        ) : (
          <>
            , computed <TimeText time={at} />
          </>
        )}
        .
      </Text>
    );
  }
  const { processed = 0, total = 0 } = progress ?? {};
  return (
    <Stack gap={4} role="status">
      <Text>
        Is being computed: {formatNumber(processed)} of {formatCount(total, target)}.
      </Text>
      <Progress
        value={total === 0 ? 0 : (processed / total) * 100}
        animated={total === 0}
        aria-label="Computed"
        size="sm"
        transitionDuration={200}
      />
    </Stack>
  );
}
