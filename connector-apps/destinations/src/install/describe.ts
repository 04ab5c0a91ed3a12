import { describePackage } from "../record/describe-package.js";

// Writes down what the destinations of an installation declare. Its process ends with the package that it has loaded.
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder of the installation.");
const { version, destinations } = describePackage(folder);
process.stdout.write(`${destinations.length} destinations of version ${version} are installed.\n`);
// Some destinations start timers when they are loaded.
process.exit(0);
