import type { Finding } from "./finding.js";

/** The command and the server should be of the same version: a newer one may use addresses that the other lacks. */
export function checkVersions(command: string, server: string): Finding {
  if (command === server)
    return { check: "version", verdict: "ok", message: `the command and the server are ${server}` };
  return {
    check: "version",
    verdict: "warning",
    message: `the command is ${command}, and the server is ${server}`,
    advice: `Install @muster/cli ${server}, or upgrade the server.`,
  };
}
