import { Switch, Tooltip } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { AttributeFigure } from "@muster/protocol/api/attributes";
import { useChangeAttribute } from "../../api/audience/use-attributes.js";
import { useMay } from "../../api/session/use-organization.js";
import { notifyOutcome } from "../../ui/notes/notify-done.js";

interface AttributeSwitchProps {
  attribute: AttributeFigure;
  subjectType: SubjectType;
  flag: "visible" | "track_changes" | "server_only";
  label?: string;
}

const DONE = {
  visible: { true: "is shown", false: "is hidden" },
  track_changes: { true: "is tracked", false: "is not tracked any more" },
  server_only: { true: "is written by servers only", false: "is written by pages too" },
} as const;

const NAMES = { visible: "Show", track_changes: "Track changes of", server_only: "Keep pages from writing" } as const;

/** Shows or hides an attribute of one's own, tracks its changes, or keeps pages from writing it. It happens at once and can be undone. */
export function AttributeSwitch({ attribute, subjectType, flag, label }: AttributeSwitchProps) {
  const mayEdit = useMay("editor");
  const change = useChangeAttribute(subjectType);
  const { name } = attribute;
  // The row may go meanwhile, as when hidden attributes are not listed.
  const set = (value: boolean): void =>
    notifyOutcome(change.mutateAsync({ name, flags: { [flag]: value } }), `${name} ${DONE[flag][`${value}`]}`, () =>
      set(!value),
    );
  const reason = mayEdit ? undefined : "Your role may look and not change. An owner can change your role.";
  const control = (
    <Switch
      aria-label={label === undefined ? `${NAMES[flag]} ${name}` : undefined}
      label={label}
      checked={attribute[flag]}
      disabled={reason !== undefined}
      onChange={({ currentTarget }) => set(currentTarget.checked)}
      onClick={(event) => event.stopPropagation()}
    />
  );
  return reason === undefined ? control : <Tooltip label={reason}>{control}</Tooltip>;
}
