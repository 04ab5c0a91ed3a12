import { type Brand, Refusal } from "@muster/protocol";
import { parsePosition } from "../../domain/entries/lanes.js";
import type { Pipeline } from "../../pipeline/pipeline.js";
import type { App } from "../app-type.js";

/** Lets a reader that names a position wait until the records written there are searchable. */
export function waitForPosition(app: App, pipeline: Pipeline, brand: Brand): void {
  const name = brand.headers.waitFor.toLowerCase();
  app.addHook("preHandler", async ({ headers, caller, routeOptions, is404 }) => {
    const given = headers[name];
    if (given === undefined || is404 || routeOptions.config.access === "open") return;
    const position = typeof given === "string" ? parsePosition(given) : undefined;
    if (!position) throw new Refusal("invalid_parameter", `The ${brand.headers.waitFor} header is not a position.`);
    await pipeline.waitFor(caller.organization.id, position);
  });
}
