// Tests several Muster processes that work together, over one PostgreSQL, one ClickHouse and three NATS servers. Needs the
// compiled server.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { installChdb } from "./install-chdb.js";

installChdb();
const { status, error } = spawnSync("npx", ["vitest", "run", "--config", "vitest.cluster.config.ts"], {
  stdio: "inherit",
  cwd: fileURLToPath(new URL("..", import.meta.url)),
});
if (error) throw error;
process.exit(status ?? 1);
