import type { Brand } from "@muster/protocol";
import type { Pipeline } from "../../../pipeline/pipeline.js";
import type { RejectedEntries } from "../../../pipeline/rejected-entries.js";
import type { App } from "../../app-type.js";
import { rejectedEntryRoutes } from "./rejected-entries.js";
import { trackingRoutes } from "./tracking.js";

export interface IngestionRoutesOptions {
  brand: Brand;
  pipeline: Pipeline;
  rejectedEntries: RejectedEntries;
}

/** Single records, and entries that could not be applied. */
export function ingestionRoutes(api: App, { brand, pipeline, rejectedEntries }: IngestionRoutesOptions): void {
  trackingRoutes(api, { intake: pipeline.intake, brand });
  rejectedEntryRoutes(api, { rejectedEntries, brand });
}
