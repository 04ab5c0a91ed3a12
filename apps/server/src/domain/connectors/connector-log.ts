export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A line that a connector logged. */
export interface LogLine {
  at: Date;
  level: LogLevel;
  message: string;
  data: Record<string, unknown>;
  /** A summary of an error for people. Empty when the connector gave none. */
  summary: string;
}

/** Which lines to list. */
export interface LogFilter {
  level?: LogLevel;
  /** Only lines that carry a summary. */
  summaries?: boolean;
  /** Only lines with this text in their message, summary or data. Upper and lower case are the same. */
  text?: string;
}

/** How far the lines of a connector were read. */
export interface LogTail<Line> {
  /** The new lines, the oldest first. */
  lines: Line[];
  /** The cursor of the last line. */
  cursor: string;
}
