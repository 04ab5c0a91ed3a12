import { Select, type SelectProps } from "@mantine/core";

type FilterSelectProps = Omit<SelectProps, "value" | "onChange" | "placeholder"> & {
  /** What is shown while nothing is chosen, such as "Any time". */
  placeholder: string;
  /** An empty text while nothing is chosen. */
  value: string;
  onChange: (value: string | undefined) => void;
};

/** One choice that narrows a list down, or none. */
export function FilterSelect({ placeholder, value, onChange, ...props }: FilterSelectProps) {
  return (
    <Select
      placeholder={placeholder}
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      clearable
      clearButtonProps={{ "aria-label": placeholder }}
      {...props}
    />
  );
}
