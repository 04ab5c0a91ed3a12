import { type Logger, pino } from "pino";

/**
 * A logger for a thread beside the main one. It gives its lines away, because lines that two threads write at the same
 * time could mix. `threadLines` logs them on the main thread.
 */
export function threadLogger(level: string, send: (line: string) => void): Logger {
  return pino({ level, base: undefined, timestamp: false }, { write: send });
}

/** Returns a function that logs the lines of another thread. */
export function threadLines(logger: Logger): (line: string) => void {
  // The other thread has made data of errors already, and doing it again would lose what kind of error it was.
  const plain = logger.child({}, { serializers: { err: (err: unknown) => err } });
  return (line) => {
    const { level, msg, ...fields } = JSON.parse(line) as { level: number; msg?: string };
    plain[pino.levels.labels[level] as pino.Level](fields, msg);
  };
}
