import { type Brand, Refusal } from "@muster/protocol";
import { parsePosition } from "../../domain/entries/lanes.js";
import type { Pipeline } from "../../pipeline/pipeline.js";
import { abortOnDisconnect } from "../abort-on-disconnect.js";
import type { App } from "../app-type.js";
import type { WaitingReaders } from "./waiting-readers.js";

export interface WaitForPositionOptions {
  pipeline: Pick<Pipeline, "waitFor">;
  readers: WaitingReaders;
  brand: Brand;
}

/** Lets a reader that names a position wait until the records written there are searchable. */
export function waitForPosition(app: App, { pipeline, readers, brand }: WaitForPositionOptions): void {
  const name = brand.headers.waitFor.toLowerCase();
  app.addHook("preHandler", async ({ headers, caller, routeOptions, is404 }, reply) => {
    const given = headers[name];
    const { access } = routeOptions.config;
    if (given === undefined || is404 || access === "open" || access === "member") return;
    if (caller.kind === "anonymous") {
      throw new Refusal("unauthorized", `Credentials are missing: the ${brand.headers.waitFor} header needs them.`);
    }
    const position = typeof given === "string" ? parsePosition(given) : undefined;
    if (!position) throw new Refusal("invalid_parameter", `The ${brand.headers.waitFor} header is not a position.`);
    await readers.count(caller, () => pipeline.waitFor(caller.organization.id, position, abortOnDisconnect(reply)));
  });
}
