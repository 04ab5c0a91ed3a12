import { Select, Text } from "@mantine/core";
import type { Role } from "@muster/protocol/api/members";
import { ROLE_WORDS, ROLES } from "./role-words.js";

interface RoleSelectProps {
  label: string;
  /** Whether the label is shown; it is read out in any case. */
  showsLabel?: boolean;
  value: Role;
  onChange: (role: Role) => void;
  disabled?: boolean;
}

/** Chooses a role, with what it may do. */
export function RoleSelect({ label, showsLabel = false, value, onChange, disabled = false }: RoleSelectProps) {
  return (
    <Select
      {...(showsLabel ? { label } : { "aria-label": label })}
      data={ROLES.map((role) => ({ value: role, label: role }))}
      value={value}
      onChange={(role) => role && onChange(role as Role)}
      allowDeselect={false}
      disabled={disabled}
      w={120}
      comboboxProps={{ width: 300, position: "bottom-start" }}
      renderOption={({ option }) => (
        <div>
          <Text fw={500}>{option.label}</Text>
          <Text size="xs" c="dimmed">
            {ROLE_WORDS[option.value as Role]}
          </Text>
        </div>
      )}
    />
  );
}
