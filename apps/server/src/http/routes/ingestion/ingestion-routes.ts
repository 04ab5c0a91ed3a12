import type { Brand } from "@muster/protocol";
import type { Intake } from "../../../pipeline/accept/intake.js";
import type { RefusedAttributes } from "../../../pipeline/accept/refused-attributes.js";
import type { RecentEntries } from "../../../pipeline/recent-entries.js";
import type { RejectedEntries } from "../../../pipeline/rejected-entries.js";
import type { App } from "../../app-type.js";
import { recentEntryRoutes } from "./recent-entries.js";
import { rejectedEntryRoutes } from "./rejected-entries.js";
import { trackingRoutes } from "./tracking.js";

export interface IngestionRoutesOptions {
  brand: Brand;
  intake: Intake;
  refusedAttributes: RefusedAttributes;
  recent: RecentEntries;
  rejectedEntries: RejectedEntries;
}

/** Single records, entries that are arriving, and entries that could not be applied. */
export function ingestionRoutes(
  api: App,
  { brand, intake, refusedAttributes, recent, rejectedEntries }: IngestionRoutesOptions,
): void {
  trackingRoutes(api, { intake, refusedAttributes, brand });
  recentEntryRoutes(api, recent);
  rejectedEntryRoutes(api, { rejectedEntries, brand });
}
