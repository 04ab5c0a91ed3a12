import type { LogLevel, LogLine as LogRecord } from "@muster/protocol/api/connector-logs";

/** A line that a connector logged. */
export interface LogLine extends Omit<LogRecord, "at"> {
  at: Date;
}

/** Which lines to list. */
export interface LogFilter {
  level?: LogLevel;
  /** Only lines that carry a summary. */
  summaries?: boolean;
  /** Only lines with this text in their message, summary or data. Upper and lower case are the same. */
  text?: string;
}
