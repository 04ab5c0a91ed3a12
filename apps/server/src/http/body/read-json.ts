import { Refusal } from "@muster/protocol";
import type { FastifyRequest } from "fastify";
import { UnreadEntry } from "../../domain/entries/unread-entry.js";
import { Breather } from "../../runtime/breather.js";
import type { App } from "../app-type.js";
import { JsonOutline, type OutlinedList, type Part } from "./json-outline.js";

// Smaller bodies are parsed at once, whatever they hold: that takes a few milliseconds.
const SMALL_BYTES = 64 * 1024;
const SLICE_BYTES = 512 * 1024;
// A value costs more than its bytes: parsing a megabyte of empty lists takes as long as parsing 50 MB of text.
const MAX_VALUES = 20_000;
// As much as a single call may hold by default.
const MAX_ENTRY_BYTES = 1024 * 1024;

type Parse = (text: string) => unknown;

/**
 * Reads JSON bodies so that none holds the event loop for long. A large body is outlined before it is parsed: one with
 * very many values is refused, and the entries of a batch are parsed one by one, with pauses.
 */
export function readJson(app: App, contentType = "application/json"): void {
  // A `__proto__` or `constructor.prototype` key is removed. Refusing it would lose the other records of the batch.
  const parseJson = app.getDefaultJsonParser("remove", "remove");
  const parserOf = (request: FastifyRequest): Parse => {
    return (text) => {
      let parsed: { error: Error | null; value: unknown } | undefined;
      // The parser calls back before it returns.
      void parseJson(request, text, (error, value) => {
        parsed = { error, value };
      });
      if (parsed?.error) throw parsed.error;
      return parsed?.value;
    };
  };

  app.addContentTypeParser(contentType, { parseAs: "buffer" }, async (request: FastifyRequest, body: Buffer) => {
    const parse = parserOf(request);
    if (body.length <= SMALL_BYTES) return parse(body.toString("utf8"));
    const maxEntries = request.routeOptions.config.maxBatchEntries;
    const outline = await outlineOf(body, maxEntries);
    if (maxEntries !== undefined && outline.list) return readBatch(body, outline.list, maxEntries, parse);
    if (outline.values > MAX_VALUES) {
      throw new Refusal("payload_too_large", `A body holds at most ${MAX_VALUES} values, not ${outline.values}.`);
    }
    return parse(body.toString("utf8"));
  });
}

async function outlineOf(body: Buffer, maxEntries: number | undefined): Promise<JsonOutline> {
  const list = maxEntries === undefined ? undefined : { key: "batch", maxElements: maxEntries };
  const outline = new JsonOutline(body, list);
  const breather = new Breather();
  while (outline.read(SLICE_BYTES)) if (breather.isDue) await breather.pause();
  return outline;
}

/** The body of a batch. Entries that are too large to be parsed are left unread. */
async function readBatch(body: Buffer, list: OutlinedList, maxEntries: number, parse: Parse): Promise<unknown> {
  if (list.count > maxEntries) throw tooManyEntries(maxEntries, list.count);
  const envelope = Buffer.concat([body.subarray(0, list.start), body.subarray(list.end)]);
  if (envelope.length > SMALL_BYTES) {
    throw new Refusal("payload_too_large", `A batch has at most ${SMALL_BYTES} bytes beside its entries.`);
  }
  const batch: unknown[] = [];
  const breather = new Breather();
  for (const part of list.elements) {
    if (breather.isDue) await breather.pause();
    const problem = sizeProblem(part);
    batch.push(problem ? new UnreadEntry(problem) : parse(body.toString("utf8", part.start, part.end)));
  }
  // The list in the envelope is empty, so its key stands for an object.
  return { ...(parse(envelope.toString("utf8")) as object), batch };
}

function sizeProblem({ start, end, values }: Part): string | undefined {
  const bytes = end - start;
  if (bytes > MAX_ENTRY_BYTES) return `An entry has at most ${MAX_ENTRY_BYTES} bytes, not ${bytes}.`;
  return values > MAX_VALUES ? `An entry holds at most ${MAX_VALUES} values, not ${values}.` : undefined;
}

export function tooManyEntries(max: number, count: number): Refusal {
  return new Refusal("payload_too_large", `A batch holds at most ${max} entries, not ${count}.`);
}
