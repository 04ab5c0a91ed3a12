import { startEmbeddedPostgres } from "../storage/postgres/embedded/embedded-postgres.js";

// Runs PostgreSQL in the given directory until this process is killed or its input ends. For tests of what a kill leaves
// behind, and of several servers that use it.
const [dataDir = "", clientLimit] = process.argv.slice(2);
const server = await startEmbeddedPostgres({
  dataDir,
  ...(clientLimit === undefined ? {} : { clientLimit: Number(clientLimit) }),
  onLog: () => {},
  onProblem: console.error,
});
console.log(server.url);
process.stdin.resume().on("end", async () => {
  await server.stop();
  process.exit(0);
});
