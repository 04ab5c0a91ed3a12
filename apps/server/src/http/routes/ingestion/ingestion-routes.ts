import type { Brand } from "@muster/protocol";
import type { Intake } from "../../../pipeline/accept/intake.js";
import type { RejectedEntries } from "../../../pipeline/rejected-entries.js";
import type { App } from "../../app-type.js";
import { rejectedEntryRoutes } from "./rejected-entries.js";
import { trackingRoutes } from "./tracking.js";

export interface IngestionRoutesOptions {
  brand: Brand;
  intake: Intake;
  rejectedEntries: RejectedEntries;
}

/** Single records, and entries that could not be applied. */
export function ingestionRoutes(api: App, { brand, intake, rejectedEntries }: IngestionRoutesOptions): void {
  trackingRoutes(api, { intake, brand });
  rejectedEntryRoutes(api, { rejectedEntries, brand });
}
