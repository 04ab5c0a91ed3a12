import { SegmentedControl } from "@mantine/core";
import type { NewExtract } from "@muster/protocol/api/jobs";

export type FileFormat = NewExtract["format"];

interface FormatControlProps {
  format: FileFormat;
  onChange: (format: FileFormat) => void;
  /** The id of the element that names the control; without it the control has the name "Format". */
  labelledBy?: string;
}

export function FormatControl({ format, onChange, labelledBy }: FormatControlProps) {
  return (
    <SegmentedControl
      {...(labelledBy === undefined ? { "aria-label": "Format" } : { "aria-labelledby": labelledBy })}
      value={format}
      onChange={onChange}
      data={[
        { value: "csv", label: "CSV" },
        { value: "json", label: "JSON lines" },
        { value: "parquet", label: "Parquet" },
      ]}
    />
  );
}
