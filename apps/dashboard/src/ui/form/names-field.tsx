import { TagsInput } from "@mantine/core";

export interface NamesFieldProps {
  label: string;
  description: string;
  value: string[];
  onChange: (names: string[]) => void;
  error?: string | undefined;
  disabled?: boolean;
}

/** A list of names that people type or paste, with commas or spaces between them. */
export function NamesField(props: NamesFieldProps) {
  return <TagsInput {...props} acceptValueOnBlur splitChars={[",", " "]} />;
}
