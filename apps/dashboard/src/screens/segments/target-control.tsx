import { SegmentedControl } from "@mantine/core";

/** Whether segments of users or of accounts are shown. */
export function TargetControl({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <SegmentedControl
      aria-label="Segments of"
      data={[
        { value: "user", label: "Users" },
        { value: "account", label: "Accounts" },
      ]}
      value={value}
      onChange={onChange}
    />
  );
}
