import { Group, Select, Switch } from "@mantine/core";
import type { Delimiter, InspectedFile } from "@muster/protocol/api/imports";
import type { FileOptions } from "../../api/jobs/use-import.js";

const DELIMITERS: { value: Delimiter; label: string }[] = [
  { value: ",", label: "Comma" },
  { value: ";", label: "Semicolon" },
  { value: "\t", label: "Tab" },
  { value: "|", label: "Bar" },
];

interface FileFormProps {
  file: InspectedFile;
  options: FileOptions;
  onChange: (options: FileOptions) => void;
}

/** How a CSV file is read, when the guess was wrong. */
export function FileForm({ file, options, onChange }: FileFormProps) {
  if (file.format !== "csv") return null;
  return (
    <Group align="flex-end">
      <Select
        label="Cells are separated by"
        data={DELIMITERS}
        value={file.delimiter ?? ","}
        allowDeselect={false}
        onChange={(value) => {
          const found = DELIMITERS.find((one) => one.value === value);
          if (found) onChange({ ...options, delimiter: found.value });
        }}
        w={170}
      />
      <Switch
        label="The first row has the names of the columns"
        checked={file.header ?? true}
        onChange={({ currentTarget }) => onChange({ ...options, header: currentTarget.checked })}
        pb={6}
      />
    </Group>
  );
}
