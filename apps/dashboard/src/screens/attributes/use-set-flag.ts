import type { SubjectType } from "@muster/protocol";
import { useCallback } from "react";
import { useChangeAttribute } from "../../api/audience/use-attributes.js";
import { useMay } from "../../api/session/use-organization.js";
import { notifyOutcome } from "../../ui/notes/notify-done.js";

export type AttributeFlag = "visible" | "track_changes" | "server_only";

const DONE = {
  visible: { true: "is shown", false: "is hidden" },
  track_changes: { true: "is tracked", false: "is not tracked any more" },
  server_only: { true: "is written by servers only", false: "is written by pages too" },
} as const;

/** Sets a flag of an attribute of one's own. It happens at once and can be undone. */
export function useSetFlag(subjectType: SubjectType) {
  const mayEdit = useMay("editor");
  const { mutateAsync: change } = useChangeAttribute(subjectType);
  const set = useCallback(
    (name: string, flag: AttributeFlag, value: boolean): void =>
      notifyOutcome(change({ name, flags: { [flag]: value } }), `${name} ${DONE[flag][`${value}`]}`, () =>
        set(name, flag, !value),
      ),
    [change],
  );
  return { set, whyNot: mayEdit ? undefined : "Your role may look and not change. An owner can change your role." };
}
