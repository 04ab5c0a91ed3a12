import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ClickHouseFront } from "../../../testing/clickhouse/clickhouse-front.js";

// From the sources and from dist, this folder is two levels below that of the benchmarks.
const FRONT = new URL("../../../testing/dist/clickhouse/clickhouse-front.js", import.meta.url);
const CHDB = fileURLToPath(new URL("../../../.cache/chdb", import.meta.url));

/** Why there can be no ClickHouse for several processes here; undefined if there can be one. */
export function clickHouseProblem(): string | undefined {
  const platform = `${process.platform}-${process.arch}`;
  if (platform !== "linux-x64")
    return `chdb, which runs ClickHouse, exists for linux-x64 only, and this is ${platform}`;
  if (existsSync(join(CHDB, "node_modules", "chdb"))) return undefined;
  return "chdb, which runs ClickHouse, is not installed; npm run test:cluster installs it";
}

/** Starts a ClickHouse server that several processes can use. */
export async function openClickHouse(dataDir: string): Promise<ClickHouseFront> {
  // A file of dist has no types of its own. They are those of its source.
  const { ClickHouseFront: Front } = (await import(FRONT.href)) as { ClickHouseFront: typeof ClickHouseFront };
  return Front.open({ chdbFolder: CHDB, dataDir });
}
