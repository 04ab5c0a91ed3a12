import type { MusterProcess } from "./muster-process.js";

export interface Credentials {
  id: string;
  secret: string;
}

/** The credentials of the first connector, from the line that a server started with `--json` prints. */
export function credentialsOf({ output }: MusterProcess): Credentials {
  const line = output()
    .split("\n")
    .find((text) => text.startsWith('{"version"'));
  return (JSON.parse(line ?? "{}") as { connector: Credentials }).connector;
}

/** The credentials of the first connector, from the text that a server prints for people. */
export function printedCredentials({ output }: MusterProcess): Credentials {
  const printed = (label: RegExp) => label.exec(output())?.[1] ?? "";
  return { id: printed(/Connector id\s+(\S+)/), secret: printed(/Secret\s+(\S+)/) };
}
