/** Writes one JSON object in one line: errors and warnings to standard error, the rest to standard output. */
export function writeLogLine(entry: { level: string; message: string; data?: unknown }): void {
  const stream = entry.level === "error" || entry.level === "warn" ? process.stderr : process.stdout;
  stream.write(`${renderLine(entry)}\n`);
}

function renderLine(entry: { data?: unknown }): string {
  try {
    return JSON.stringify(entry);
  } catch {
    // Circular data or a BigInt must not turn a log line into an exception in the code that logs.
    return JSON.stringify({ ...entry, data: String(entry.data) });
  }
}
