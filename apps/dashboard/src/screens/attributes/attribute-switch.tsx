import { Switch, Tooltip } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { AttributeFigure } from "@muster/protocol/api/attributes";
import { type AttributeFlag, useSetFlag } from "./use-set-flag.js";

interface AttributeSwitchProps {
  attribute: AttributeFigure;
  subjectType: SubjectType;
  flag: AttributeFlag;
  label: string;
}

/** Shows or hides an attribute of one's own, tracks its changes, or keeps pages from writing it. */
export function AttributeSwitch({ attribute, subjectType, flag, label }: AttributeSwitchProps) {
  const { set, whyNot } = useSetFlag(subjectType);
  const control = (
    <Switch
      label={label}
      checked={attribute[flag]}
      disabled={whyNot !== undefined}
      onChange={({ currentTarget }) => set(attribute.name, flag, currentTarget.checked)}
    />
  );
  return whyNot === undefined ? control : <Tooltip label={whyNot}>{control}</Tooltip>;
}
