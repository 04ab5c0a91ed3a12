import { createHash, type Hash } from "node:crypto";
import { type Brand, type EntryVerdict, HmacKey, Refusal } from "@muster/protocol";
import { LRUCache } from "lru-cache";
import { Admission, type AdmittedEntry } from "../../domain/entries/admission.js";
import { LANE } from "../../domain/entries/lanes.js";
import type { JsonOutline, OutlinedList, Part } from "../../runtime/json/json-outline.js";
import { malformedJson } from "../../runtime/json/malformed-json.js";
import { MAX_VALUES, outlineJson, SMALL_BYTES } from "../../runtime/json/outline-json.js";
import { parseSafely } from "../../runtime/json/parse-safely.js";
import { Breather } from "../../runtime/loops/breather.js";
import { readBatchTimes } from "./batch-times.js";
import { type CompressedPart, LaneCompressor } from "./lane-compressor.js";

/** What is known of a batch before its body is read. */
export interface BodyContext {
  connector: { id: string; secret: string };
  receivedAtMs: number;
  idempotencyKey: string | undefined;
  /** A member watches the live list, so the texts of refused entries are wanted. */
  isWatched: boolean;
}

/** The result of checking the entries of a batch. */
export interface AdmittedBody {
  accepted: number;
  rejected: EntryVerdict[];
  /** The accepted entries as rows of the log. */
  parts: CompressedPart[];
  digest: Buffer;
  /** The texts of the refused entries when they are wanted, in the order of the verdicts. Large ones are left out. */
  refusedTexts: string[];
}

export interface BodyLimits {
  maxEntries: number;
}

// As much as a single call may hold by default.
const MAX_ENTRY_BYTES = 1024 * 1024;
const MAX_KEYS = 1_000;

/**
 * Reads the bodies of gateway batches: checks each entry and compresses the accepted ones for the log. It needs the bytes
 * alone and no database, so it can run on any thread. It pauses, so that no body holds its thread for long.
 */
export class BodyAdmission {
  readonly #brand: Brand;
  readonly #limits: BodyLimits;
  /** By secret. */
  readonly #keys = new LRUCache<string, HmacKey>({ max: MAX_KEYS });

  constructor(brand: Brand, limits: BodyLimits) {
    this.#brand = brand;
    this.#limits = limits;
  }

  /** Refuses a body that cannot be used as a whole. */
  async admit(body: Buffer, context: BodyContext): Promise<AdmittedBody> {
    try {
      return await this.#admit(body, context);
    } catch (error) {
      // Its parts are parsed one by one, and the sender needs the place in the body.
      throw error instanceof SyntaxError ? malformedJson(body.toString("utf8")) : error;
    }
  }

  async #admit(body: Buffer, context: BodyContext): Promise<AdmittedBody> {
    const { maxEntries } = this.#limits;
    const outline = await outlineJson(body, { key: "batch", maxElements: maxEntries });
    const { list } = outline;
    if (list && list.count > maxEntries) {
      throw tooLarge(`A batch holds at most ${maxEntries} entries, not ${list.count}.`);
    }
    const times = readBatchTimes(parseEnvelope(body, outline));
    if (!list) throw new Error("A body without a list of entries was not refused.");
    const { connector, receivedAtMs } = context;
    const sender = { ...connector, key: this.#keyOf(connector.secret) };
    return admitEntries(
      body,
      list,
      context,
      new Admission({ brand: this.#brand, connector: sender, receivedAtMs, ...times }),
    );
  }

  #keyOf(secret: string): HmacKey {
    const key = this.#keys.get(secret) ?? new HmacKey(secret);
    this.#keys.set(secret, key);
    return key;
  }
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
    return parse(body.toString("utf8"));
  }
  // The list is left empty, so that its key has a value.
  const envelope = Buffer.concat([body.subarray(0, list.start), body.subarray(list.end)]);
  if (envelope.length > SMALL_BYTES) throw tooLarge(`A batch has at most ${SMALL_BYTES} bytes beside its entries.`);
  return parse(envelope.toString("utf8"));
}

async function admitEntries(
  body: Buffer,
  list: OutlinedList,
  { connector, idempotencyKey, isWatched }: BodyContext,
  admission: Admission,
): Promise<AdmittedBody> {
  const active = new LaneCompressor(LANE.active);
  const live = new LaneCompressor(LANE.live);
  const digest = new EntriesDigest(connector.id, body);
  const refusedTexts: string[] = [];
  const breather = new Breather();
  const isSafe = !mayHoldPrototype(body);
  for (const part of list.elements) {
    if (breather.isDue) await breather.pause();
    const tooLargeToParse = sizeProblem(part);
    let admitted: AdmittedEntry | undefined;
    let text = "";
    let entry: unknown;
    if (tooLargeToParse) admission.refuse({ code: "payload_too_large", message: tooLargeToParse });
    else {
      text = body.toString("utf8", part.start, part.end);
      entry = parse(text, isSafe && !part.hasEscapes);
      admitted = admission.add(entry, part);
    }
    if (admitted) (admitted.active ? active : live).add(admitted.text);
    else if (isWatched) refusedTexts.push(text);
    if (idempotencyKey === undefined) digest.add(part, admitted && entry);
  }
  const { accepted, rejected } = admission;
  return {
    accepted,
    rejected,
    parts: [...active.finish(), ...live.finish()],
    digest: idempotencyKey === undefined ? digest.finish() : digestOfKey(connector.id, `key ${idempotencyKey}`),
    refusedTexts,
  };
}

/**
 * The digest of the accepted entries of a batch. It is taken over their JSON without white space and escapes, which is
 * for most senders what they have sent. The position of a refused entry counts, its content does not.
 */
class EntriesDigest {
  readonly #hash: Hash;
  readonly #body: Buffer;
  #isFirst = true;
  /** Where bytes begin that are taken as they are, and where they end. */
  #start = 0;
  #end = 0;

  constructor(connectorId: string, body: Buffer) {
    this.#hash = createHash("sha256").update(`${connectorId} entries [`);
    this.#body = body;
  }

  /** Adds the next entry; undefined stands for a refused one. */
  add(part: Part, entry: unknown): void {
    const isAsSent = entry !== undefined && !part.hasEscapes && !part.hasSpaces;
    // Neighbours are taken together, with the comma between them.
    if (isAsSent && this.#end > 0 && this.#end + 1 === part.start) {
      this.#end = part.end;
      return;
    }
    this.#flush();
    if (!this.#isFirst) this.#hash.update(",");
    this.#isFirst = false;
    if (isAsSent) {
      this.#start = part.start;
      this.#end = part.end;
    } else if (entry !== undefined) this.#hash.update(JSON.stringify(entry));
  }

  finish(): Buffer {
    this.#flush();
    return this.#hash.update("]").digest();
  }

  #flush(): void {
    if (this.#end > 0) this.#hash.update(this.#body.subarray(this.#start, this.#end));
    this.#end = 0;
  }
}

/** The digest of a batch or a call that its sender has given a key. */
export function digestOfKey(connectorId: string, key: string): Buffer {
  return createHash("sha256").update(`${connectorId} ${key}`).digest();
}

/** Whether a key in the body may be one that `parseSafely` removes. Keys with escapes are looked at one by one. */
function mayHoldPrototype(body: Buffer): boolean {
  return body.includes("__proto__") || body.includes("constructor");
}

function parse(text: string, isSafe = false): unknown {
  return isSafe ? JSON.parse(text) : parseSafely(text);
}

function sizeProblem({ start, end, values }: Part): string | undefined {
  const bytes = end - start;
  if (bytes > MAX_ENTRY_BYTES) return `An entry has at most ${MAX_ENTRY_BYTES} bytes, not ${bytes}.`;
  return values > MAX_VALUES ? `An entry holds at most ${MAX_VALUES} values, not ${values}.` : undefined;
}

function tooLarge(message: string): Refusal {
  return new Refusal("payload_too_large", message);
}
