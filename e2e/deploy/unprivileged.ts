/** Puts `setpriv` before a command when the test runs as root, so that the command runs as an ordinary user. */
export function unprivileged(command: readonly string[]): [string, ...string[]] {
  const [program = "", ...args] = command;
  if (process.getuid?.() !== 0) return [program, ...args];
  return ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--", program, ...args];
}

/** The user `nobody` of Linux. PostgreSQL wants a user that has a name. */
export const NOBODY = 65_534;
