/** How files begin that an import cannot read, and what people call them. */
const BEGINNINGS: readonly { bytes: string; what: string }[] = [
  { bytes: "PAR1", what: "a Parquet file" },
  { bytes: "PK\x03\x04", what: "a ZIP archive, as Excel files (.xlsx) are" },
  { bytes: "\xd0\xcf\x11\xe0", what: "an old Excel file (.xls)" },
  { bytes: "SQLite format 3\0", what: "a SQLite database" },
  { bytes: "Obj\x01", what: "an Avro file" },
  { bytes: "ORC", what: "an ORC file" },
  { bytes: "%PDF", what: "a PDF" },
  { bytes: "BZh", what: "compressed with bzip2" },
  { bytes: "\xfd7zXZ\0", what: "compressed with xz" },
  { bytes: "\x28\xb5\x2f\xfd", what: "compressed with Zstandard" },
  { bytes: "\xff\xfe", what: "a text in UTF-16" },
  { bytes: "\xfe\xff", what: "a text in UTF-16" },
];

/**
 * What a file is that is neither JSON nor CSV, by its first bytes: its name may say something else. Undefined when it can be
 * imported, as far as the first bytes tell.
 * @example foreignFile(Buffer.from("PAR1…")) // "a Parquet file"
 */
export function foreignFile(beginning: Uint8Array): string | undefined {
  const text = Array.from(beginning.subarray(0, 64), (byte) => String.fromCharCode(byte)).join("");
  const found = BEGINNINGS.find(({ bytes }) => text.startsWith(bytes));
  if (found) return found.what;
  return /^(\xef\xbb\xbf)?\s*<(!doctype|html|\?xml)/i.test(text) ? "a web page or XML" : undefined;
}

/** Whether a file is compressed with gzip, by its first bytes. */
export function isGzip(beginning: Uint8Array): boolean {
  return beginning[0] === 0x1f && beginning[1] === 0x8b;
}
