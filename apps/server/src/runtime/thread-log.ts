import { type Logger, pino } from "pino";

/**
 * A logger for a thread beside the main one. It gives its lines away, because lines that two threads write at the same
 * time could mix. `logThreadLine` logs them on the main thread.
 */
export function threadLogger(level: string, send: (line: string) => void): Logger {
  return pino({ level, base: undefined, timestamp: false }, { write: send });
}

/** Logs a line of another thread. */
export function logThreadLine(logger: Logger, line: string): void {
  const { level, msg, ...fields } = JSON.parse(line) as { level: number; msg?: string };
  const label = pino.levels.labels[level] as pino.Level;
  logger[label](fields, msg);
}
