import type { LogEntry } from "@muster/client";

/** One JSON object a line: errors and warnings on standard error, the rest on standard output. */
export function writeLine(entry: LogEntry): void {
  const stream = entry.level === "error" || entry.level === "warn" ? process.stderr : process.stdout;
  stream.write(`${render(entry)}\n`);
}

function render(entry: LogEntry): string {
  try {
    return JSON.stringify(entry);
  } catch {
    // Circular data or a BigInt must not turn a log line into an exception in the code that logs.
    return JSON.stringify({ ...entry, data: String(entry.data) });
  }
}
