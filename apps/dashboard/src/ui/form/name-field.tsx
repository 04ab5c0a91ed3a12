import { TextInput, type TextInputProps } from "@mantine/core";

type NameFieldProps = Omit<TextInputProps, "onChange"> & { value: string; onChange: (name: string) => void };

/** The name of what a form makes. It is where typing begins. */
export function NameField({ onChange, ...props }: NameFieldProps) {
  return (
    <TextInput
      label="Name"
      maxLength={200}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data-autofocus
      {...props}
    />
  );
}
