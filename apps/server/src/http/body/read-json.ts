import { Refusal } from "@muster/protocol";
import type { FastifyRequest } from "fastify";
import { malformedJson } from "../../runtime/json/malformed-json.js";
import { MAX_VALUES, outlineJson, SMALL_BYTES } from "../../runtime/json/outline-json.js";
import type { App } from "../app-type.js";

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
    const text = body.toString("utf8");
    let parsed: { error: Error | null; value: unknown } | undefined;
    // The parser calls back before it returns.
    void parseJson(request, text, (error, value) => {
      parsed = { error, value };
    });
    if (parsed?.error) throw isSyntaxFault(parsed.error) ? malformedJson(text) : parsed.error;
    return parsed?.value;
  });
}

function isSyntaxFault(error: Error & { code?: string }): boolean {
  return error.code === "FST_ERR_CTP_INVALID_JSON_BODY";
}

async function requireFewValues(body: Buffer): Promise<void> {
  const { values } = await outlineJson(body);
  if (values > MAX_VALUES) {
    throw new Refusal("payload_too_large", `A body holds at most ${MAX_VALUES} values, not ${values}.`);
  }
}
