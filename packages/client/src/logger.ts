/** From the most severe to the most detailed. */
export const LOG_LEVELS = ["error", "warn", "info", "verbose", "debug", "silly"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** What an entry is about: `organization`, `id`, `connector_name`, `request_id`, for a scoped client also `user_email`, … */
export type LogContext = Readonly<Record<string, string>>;

export interface LogEntry {
  level: LogLevel;
  message: string;
  context: LogContext;
  data?: unknown;
  /** ISO 8601. */
  timestamp: string;
}

export type LogMethod = (message: string, data?: unknown) => void;

/** One method for each level; `log` is `info`. The methods do not use `this`, so they can be passed as callbacks. */
export type Logger = Readonly<Record<LogLevel | "log", LogMethod>>;

/** Where log entries go. */
export interface LogSink {
  readonly level: LogLevel;
  write(entry: LogEntry): void;
}

export function createLogger(sink: LogSink, context: LogContext): Logger {
  const mostDetailed = LOG_LEVELS.indexOf(sink.level);
  const at =
    (level: LogLevel): LogMethod =>
    (message, data) => {
      if (LOG_LEVELS.indexOf(level) > mostDetailed) return;
      const entry: LogEntry = { level, message, context, timestamp: new Date().toISOString() };
      if (data !== undefined) entry.data = data;
      sink.write(entry);
    };
  return {
    log: at("info"),
    error: at("error"),
    warn: at("warn"),
    info: at("info"),
    verbose: at("verbose"),
    debug: at("debug"),
    silly: at("silly"),
  };
}
