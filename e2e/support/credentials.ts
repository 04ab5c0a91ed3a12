import { vi } from "vitest";
import type { MusterProcess } from "./muster-process.js";
import { PATIENCE } from "./patience.js";

export interface Credentials {
  id: string;
  secret: string;
}

/** A server may answer before what it has printed is here. */
/** The credentials of the first connector, from the line that a server started with `--json` prints. */
export function credentialsOf({ output }: MusterProcess): Promise<Credentials> {
  return vi.waitFor(() => {
    const line = /^\{"version".*\}$/m.exec(output())?.[0];
    if (line === undefined) throw new Error(`The server has printed no credentials:\n${output()}`);
    return (JSON.parse(line) as { connector: Credentials }).connector;
  }, PATIENCE);
}

/** The credentials of the first connector, from the text that a server prints for people. */
export function printedCredentials({ output }: MusterProcess): Promise<Credentials> {
  return vi.waitFor(() => {
    const [id, secret] = [/Connector id\s+(\S+)\s/, /Secret\s+(\S+)\s/].map((label) => label.exec(output())?.[1]);
    if (id === undefined || secret === undefined) {
      throw new Error(`The server has printed no credentials:\n${output()}`);
    }
    return { id, secret };
  }, PATIENCE);
}
