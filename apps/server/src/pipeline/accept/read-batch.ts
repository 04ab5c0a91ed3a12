import { Refusal } from "@muster/protocol";
import type { JsonOutline, OutlinedList } from "../../runtime/json/json-outline.js";
import { malformedJson } from "../../runtime/json/malformed-json.js";
import { MAX_VALUES, outlineJson, SMALL_BYTES } from "../../runtime/json/outline-json.js";
import { parseSafely } from "../../runtime/json/parse-safely.js";

/** The parts of a body: what it says beside its list, and the list. */
export interface ReadBody {
  envelope: unknown;
  list: OutlinedList | undefined;
}

/** Finds the entries of a batch without parsing them. */
export async function readBatch(body: Buffer, maxEntries: number): Promise<ReadBody> {
  const outline = await outlineJson(body, { key: "batch", maxElements: maxEntries });
  const { list } = outline;
  if (list && list.count > maxEntries) {
    throw tooLarge(`A batch holds at most ${maxEntries} entries, not ${list.count}.`);
  }
  try {
    return { envelope: parseEnvelope(body, outline), list };
  } catch (error) {
    throw error instanceof SyntaxError ? malformedJson(body.toString("utf8")) : error;
  }
}

/** A body that is one call: a list of itself. */
export async function readSingle(body: Buffer): Promise<ReadBody> {
  const { values } = await outlineJson(body);
  const whole = {
    start: 0,
    end: body.length,
    values,
    depth: Number.POSITIVE_INFINITY,
    hasEscapes: true,
    hasSpaces: true,
  };
  return { envelope: {}, list: { start: 0, end: body.length, elements: [whole], count: 1 } };
}

/** The body without its entries. */
function parseEnvelope(body: Buffer, { list, values }: JsonOutline): unknown {
  if (body.length === 0) {
    throw new Refusal("malformed_json", "The body is empty, but its content type is application/json.");
  }
  if (!list) {
    if (body.length > SMALL_BYTES && values > MAX_VALUES) {
      throw tooLarge(`A body holds at most ${MAX_VALUES} values, not ${values}.`);
    }
    return parseSafely(body.toString("utf8"));
  }
  // The list is left empty, so that its key has a value.
  const envelope = Buffer.concat([body.subarray(0, list.start), body.subarray(list.end)]);
  if (envelope.length > SMALL_BYTES) throw tooLarge(`A batch has at most ${SMALL_BYTES} bytes beside its entries.`);
  return parseSafely(envelope.toString("utf8"));
}

function tooLarge(message: string): Refusal {
  return new Refusal("payload_too_large", message);
}
