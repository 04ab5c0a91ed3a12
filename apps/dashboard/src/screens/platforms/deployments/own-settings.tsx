import { Select, Switch, TextInput } from "@mantine/core";
import type { Settings } from "@muster/protocol/api/settings";
import { NumberField } from "../../../ui/form/number-field.js";
import type { PlainSetting } from "./settings-in.js";

interface OwnSettingsProps {
  declared: readonly PlainSetting[];
  values: Settings;
  changed: Settings;
  onChange: (changed: Settings) => void;
}

/** The settings that the connector itself declares for a deployment. */
export function OwnSettings({ declared, values, changed, onChange }: OwnSettingsProps) {
  return declared.map(({ name, title, description, kind, choices, fallback }) => {
    const value = values[name] ?? fallback;
    const labels = { label: title, ...(description ? { description } : {}) };
    const set = (given: string | number | boolean) => onChange({ ...changed, [name]: given });
    if (kind === "boolean") {
      return (
        <Switch
          key={name}
          {...labels}
          checked={value === true}
          onChange={({ currentTarget }) => set(currentTarget.checked)}
        />
      );
    }
    if (kind === "number") {
      return (
        <NumberField
          key={name}
          {...labels}
          value={typeof value === "number" ? value : undefined}
          onChange={(given) => {
            if (given !== undefined) set(given);
          }}
        />
      );
    }
    const text = typeof value === "string" ? value : "";
    return kind === "choice" ? (
      <Select key={name} {...labels} data={choices} value={text} onChange={(given) => set(given ?? "")} />
    ) : (
      <TextInput key={name} {...labels} value={text} onChange={({ currentTarget }) => set(currentTarget.value)} />
    );
  });
}
