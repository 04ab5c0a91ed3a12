import { writeLogLine } from "@muster/protocol";
import type { Configuration } from "./configuration.js";
import type { LogEntry, LogSink } from "./logger.js";

/** Writes the log where the configuration says: to an array, to a function, or to standard output. */
export function openLogSink({ logs, onLog, logLevel }: Configuration): LogSink {
  if (logs) return { level: "silly", write: (entry) => void logs.push(entry) };
  if (onLog) return { level: logLevel, write: (entry) => writeTo(onLog, entry) };
  return { level: logLevel, write: writeLogLine };
}

function writeTo(onLog: (entry: LogEntry) => void, entry: LogEntry): void {
  try {
    onLog(entry);
  } catch {
    // A failing log function must not stop the delivery that it logs. The entry is written to the console instead.
    writeLogLine(entry);
  }
}
