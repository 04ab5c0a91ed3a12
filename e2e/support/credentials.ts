import type { Credentials } from "./load.js";
import type { MusterProcess } from "./muster-process.js";

/** The credentials of the first connector, as a server that was started with `--json` prints them. */
export function credentialsOf({ output }: MusterProcess): Credentials {
  const line = output()
    .split("\n")
    .find((text) => text.startsWith('{"version"'));
  return (JSON.parse(line ?? "{}") as { connector: Credentials }).connector;
}
