import { join, resolve } from "node:path";
import { InstallationProblem, installPackage } from "@muster/destinations/install";
import { findChild } from "../outbound/bundled/find-child.js";
import type { InstallationNote } from "../outbound/bundled/installation-note.js";

// Installs the package of destinations, from the registry of npm, into a folder. `muster destinations start` runs it, and the server
// when its operator asks for it in the gallery: then it is told of each step over the channel between the two.

const [given] = process.argv.slice(2);
if (given === undefined) throw new Error("Name the folder for the installation.");
// npm and the next program run in the folder, where a relative path would lead elsewhere.
const folder = resolve(given);
const { command, connectorsFolder } = findChild("describe-destinations");
const stopping = new AbortController();
process.once("disconnect", () => stopping.abort());
const tell = (note: InstallationNote) => process.send?.(note);

try {
  const isNew = await installPackage({
    source: join(connectorsFolder, "destinations/installation"),
    folder,
    describe: command,
    signal: stopping.signal,
    onStep(step) {
      process.stdout.write(`${step}\n`);
      tell({ step });
    },
  });
  if (!isNew) process.stdout.write("The destinations are installed already.\n");
} catch (error) {
  if (!(error instanceof InstallationProblem)) throw error;
  process.stderr.write(`${error.message}\n`);
  tell({ problem: error.message });
  process.exitCode = 1;
}
// The channel would keep the process running.
if (process.connected) process.disconnect();
