import { Alert, Button, Group, Stack, Text, Tooltip } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { WaitingAttribute } from "@muster/protocol/api/attributes";
import { useState } from "react";
import { useDefineWaiting } from "../../api/audience/use-attributes.js";
import { useMay } from "../../api/session/use-organization.js";
import { typeWords } from "../../filters/type-names.js";
import { notifyOutcome } from "../../ui/notes/notify-done.js";
import { formatCount } from "../../ui/text/format.js";
import { TimeText } from "../../ui/text/time-text.js";

interface WaitingAttributesProps {
  subjectType: SubjectType;
  waiting: readonly WaitingAttribute[];
}

const FEW = 3;

/** Attributes that pages sent and could not define any more today. A member defines those that are wanted. */
export function WaitingAttributes({ subjectType, waiting }: WaitingAttributesProps) {
  const [isOpen, setOpen] = useState(false);
  if (waiting.length === 0) return null;
  const shown = isOpen ? waiting : waiting.slice(0, FEW);
  return (
    <Alert
      color="yellow"
      variant="light"
      p="sm"
      role="region"
      aria-label="Attributes that wait"
      style={{ flexShrink: 0 }}
    >
      <Stack gap="xs" mah={280} style={{ overflowY: "auto" }}>
        <Text>
          Pages sent {formatCount(waiting.length, "new attribute")} after they had defined as many as they may in a day.
          The values are kept: define what you want, and they are applied.
        </Text>
        {shown.map((attribute) => (
          <Waiting key={attribute.name} subjectType={subjectType} attribute={attribute} />
        ))}
        {waiting.length > FEW ? (
          <Group>
            <Button variant="subtle" onClick={() => setOpen(!isOpen)}>
              {isOpen ? "Show fewer" : `Show all ${waiting.length}`}
            </Button>
          </Group>
        ) : null}
      </Stack>
    </Alert>
  );
}

function Waiting({ subjectType, attribute }: { subjectType: SubjectType; attribute: WaitingAttribute }) {
  const define = useDefineWaiting(subjectType);
  const mayEdit = useMay("editor");
  const { name, type, senders, last_at } = attribute;
  return (
    <Group justify="space-between" gap="sm">
      <Group gap="xs">
        <Text ff="monospace" style={{ overflowWrap: "anywhere" }}>
          {name}
        </Text>
        <Text c="dimmed">
          {/* A sender that has used up its own limit does not count. */}
          {typeWords(type)}, {senders === 0 ? "" : `from ${formatCount(senders, "sender")}, `}last{" "}
          <TimeText time={last_at} />
        </Text>
      </Group>
      <Tooltip label="Your role may look and not change. An owner can change your role." disabled={mayEdit}>
        <Button
          variant="default"
          aria-label={`Define ${name}`}
          disabled={!mayEdit}
          loading={define.isPending}
          onClick={() =>
            // The row goes when the attribute is defined.
            notifyOutcome(
              define.mutateAsync(attribute),
              (retried) => `${name} is defined. ${formatCount(retried, "record")} tried again`,
            )
          }
        >
          Define
        </Button>
      </Tooltip>
    </Group>
  );
}
