import { startEmbeddedPostgres } from "../storage/postgres/embedded/embedded-postgres.js";

// Runs PostgreSQL under the directory given until this process is killed: for tests of what is left behind then.
const [dataDir = ""] = process.argv.slice(2);
const server = await startEmbeddedPostgres({ dataDir, onLog: () => {} });
console.log(server.url);
process.stdin.resume().on("end", async () => {
  await server.stop();
  process.exit(0);
});
