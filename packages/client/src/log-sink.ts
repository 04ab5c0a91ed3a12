import { writeLogLine } from "@muster/protocol";
import type { Configuration } from "./configuration.js";
import type { LogEntry, LogSink } from "./logger.js";

/** Where the configuration wants the log: in an array, to a function, or on standard output. */
export function openLogSink({ logs, onLog, logLevel }: Configuration): LogSink {
  if (logs) return { level: "silly", write: (entry) => void logs.push(entry) };
  if (onLog) return { level: logLevel, write: (entry) => writeTo(onLog, entry) };
  return { level: logLevel, write: writeLogLine };
}

function writeTo(onLog: (entry: LogEntry) => void, entry: LogEntry): void {
  try {
    onLog(entry);
  } catch {
    // A log function that fails must not stop the delivery it is told about; the entry is still to be seen somewhere.
    writeLogLine(entry);
  }
}
