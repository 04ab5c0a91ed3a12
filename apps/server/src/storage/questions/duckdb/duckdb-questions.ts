import { join } from "node:path";
import { RESERVED_BYTES } from "../../../runtime/disk-space.js";
import type { EventsOfEvaluation } from "../projection.js";
import type { Questions } from "../questions.js";
import { duckdbAsking } from "./duckdb-asking.js";
import { duckdbEventFigures } from "./duckdb-event-figures.js";
import { duckdbExtracting } from "./duckdb-extracting.js";
import { duckdbMemberships } from "./duckdb-memberships.js";
import { duckdbProjection } from "./duckdb-projection.js";
import { Engine, type EngineOptions } from "./engine/engine.js";
import { type FilesOptions, OrganizationFiles } from "./engine/organization-files.js";

export interface DuckDbOptions extends Omit<EngineOptions, "spillFolder" | "reservedBytes">, FilesOptions {
  eventsOf: EventsOfEvaluation;
}

/** Opens the question engine inside this process: one DuckDB instance, with one file for each organization. */
export async function openDuckDbQuestions(options: DuckDbOptions): Promise<Questions> {
  const engine = await Engine.open({
    ...options,
    spillFolder: join(options.folder, "spill"),
    reservedBytes: RESERVED_BYTES / 2,
  });
  const files = new OrganizationFiles(engine, options);
  return {
    ...duckdbProjection(files, options.eventsOf),
    ...duckdbAsking(engine, files),
    ...duckdbMemberships(engine, files),
    ...duckdbEventFigures(engine, files),
    ...duckdbExtracting(engine, files),
    async ping() {
      await engine.rows({ sql: "select 1 as one", params: {} });
    },
    async version() {
      const [row] = await engine.rows<{ version: string }>({ sql: "select version() as version", params: {} });
      return `DuckDB ${row?.version.replace(/^v/, "") ?? ""}`;
    },
    async close() {
      await files.close();
      await engine.close();
    },
  };
}
