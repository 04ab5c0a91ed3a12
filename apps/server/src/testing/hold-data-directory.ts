import { openDataDirectory } from "../runtime/disk/data-directory.js";

// Holds the given data directory until this process is killed or its input ends. For tests of its lock.
const [path = ""] = process.argv.slice(2);
try {
  const directory = await openDataDirectory(path);
  console.log("held");
  process.stdin.resume().on("end", () => {
    directory.release();
    process.exit(0);
  });
} catch (error) {
  console.log((error as Error).message);
}
