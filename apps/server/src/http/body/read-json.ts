import { Refusal } from "@muster/protocol";
import type { FastifyRequest } from "fastify";
import { Breather } from "../../runtime/breather.js";
import { JsonOutline } from "../../runtime/json-outline.js";
import type { App } from "../app-type.js";

// Smaller bodies are parsed at once, whatever they hold: that takes a few milliseconds.
const SMALL_BYTES = 64 * 1024;
const SLICE_BYTES = 512 * 1024;
// A value costs more than its bytes: parsing a megabyte of empty lists takes as long as parsing 50 MB of text.
const MAX_VALUES = 20_000;

/**
 * Reads JSON bodies so that none holds the event loop for long. A large body is outlined before it is parsed, and one
 * with very many values is refused.
 */
export function readJson(app: App, contentType = "application/json"): void {
  // A `__proto__` or `constructor.prototype` key is removed. Refusing it would lose the other records of the batch.
  const parseJson = app.getDefaultJsonParser("remove", "remove");

  app.addContentTypeParser(contentType, { parseAs: "buffer" }, async (request: FastifyRequest, body: Buffer) => {
    if (request.routeOptions.config.takesBytes) return body;
    if (body.length > SMALL_BYTES) await requireFewValues(body);
    let parsed: { error: Error | null; value: unknown } | undefined;
    // The parser calls back before it returns.
    void parseJson(request, body.toString("utf8"), (error, value) => {
      parsed = { error, value };
    });
    if (parsed?.error) throw parsed.error;
    return parsed?.value;
  });
}

async function requireFewValues(body: Buffer): Promise<void> {
  const outline = new JsonOutline(body);
  const breather = new Breather();
  while (outline.read(SLICE_BYTES)) if (breather.isDue) await breather.pause();
  if (outline.values > MAX_VALUES) {
    throw new Refusal("payload_too_large", `A body holds at most ${MAX_VALUES} values, not ${outline.values}.`);
  }
}
