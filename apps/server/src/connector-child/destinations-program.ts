import { fileURLToPath } from "node:url";
import { installPackage, runProgram } from "@muster/destinations/install";

// `muster destinations start` runs it: installs the package of destinations, from the registry of npm, into a folder.

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder for the installation.");
const isNew = await installPackage({
  source: fileURLToPath(new URL("./connectors/destinations/installation", import.meta.url)),
  folder,
  describe: (target) => {
    const program = fileURLToPath(new URL("./describe-destinations.js", import.meta.url));
    return runProgram(process.execPath, [program, target], target);
  },
});
if (!isNew) process.stdout.write("The destinations are installed already.\n");
