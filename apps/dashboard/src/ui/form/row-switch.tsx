import classes from "./row-switch.module.css";

interface RowSwitchProps {
  /** What it switches, for people who cannot see the row. */
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** Why it cannot be changed. */
  whyNot?: string | undefined;
}

/** A switch in every row of a list: a single element, where the switch of forms is a component with eight. */
export function RowSwitch({ label, checked, onChange, whyNot }: RowSwitchProps) {
  return (
    <input
      type="checkbox"
      role="switch"
      className={classes.switch}
      aria-label={label}
      title={whyNot}
      disabled={whyNot !== undefined}
      checked={checked}
      aria-checked={checked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}
