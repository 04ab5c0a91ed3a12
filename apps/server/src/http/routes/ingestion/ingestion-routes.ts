import type { Brand } from "@muster/protocol";
import type { Pipeline } from "../../../pipeline/pipeline.js";
import type { Database } from "../../../storage/postgres/database.js";
import type { App } from "../../app-type.js";
import { ingestionRoutes as rejectedRoutes } from "./ingestion.js";
import { trackingRoutes } from "./tracking.js";

export interface IngestionRoutesOptions {
  brand: Brand;
  pipeline: Pipeline;
  database: Database;
}

/** Records that come in one by one, and those that could not be applied. */
export function ingestionRoutes(api: App, { brand, pipeline, database }: IngestionRoutesOptions): void {
  trackingRoutes(api, { intake: pipeline.intake, brand });
  rejectedRoutes(api, { database, intake: pipeline.intake, brand });
}
