import { createHash, type Hash } from "node:crypto";
import { type Brand, type EntryVerdict, HmacKey, isObject, Refusal } from "@muster/protocol";
import { LRUCache } from "lru-cache";
import { CallAdmission, sharedProblem } from "../../domain/analytics/call-admission.js";
import type { CallType } from "../../domain/analytics/call-mapping.js";
import type { CallSender } from "../../domain/analytics/call-sender.js";
import { MAX_CALL_BYTES } from "../../domain/analytics/read-call.js";
import type { AdmittedEntry, EntryAdmission } from "../../domain/entries/entry-admission.js";
import { GatewayAdmission } from "../../domain/entries/gateway-admission.js";
import { LANE } from "../../domain/entries/lanes.js";
import type { OutlinedList, Part } from "../../runtime/json/json-outline.js";
import { malformedJson } from "../../runtime/json/malformed-json.js";
import { MAX_VALUES } from "../../runtime/json/outline-json.js";
import { parseSafely } from "../../runtime/json/parse-safely.js";
import { Breather } from "../../runtime/loops/breather.js";
import { readBatchTimes } from "./batch-times.js";
import { type CompressedPart, LaneCompressor } from "./lane-compressor.js";
import { readBatch, readSingle } from "./read-batch.js";

/** Who sends a body, and what it holds: entries with tokens, or analytics calls. A call that is sent alone has a type. */
export type BodySender =
  | { kind: "entries"; connector: { id: string; secret: string } }
  | { kind: "calls"; sender: CallSender; type?: CallType };

/** What is known of a batch before its body is read. */
export interface BodyContext {
  from: BodySender;
  receivedAtMs: number;
  idempotencyKey: string | undefined;
  /** The texts of refused entries are wanted: for the live list that a member watches, or for the list of rejected entries. */
  keepsRefused: boolean;
}

/** The result of checking the entries of a batch. */
export interface AdmittedBody {
  accepted: number;
  rejected: EntryVerdict[];
  /** The accepted entries as rows of the log. */
  parts: CompressedPart[];
  /** Undefined when a part of the batch is to count again each time that it is sent. */
  digest: Buffer | undefined;
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
 * Reads the bodies of batches: checks each entry and compresses the accepted ones for the log. It needs the bytes
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
    const { from } = context;
    if (from.kind === "entries") return this.#admitEntries(body, context, from);
    const { envelope, list } =
      from.type === undefined ? await readBatch(body, this.#limits.maxEntries) : await readSingle(body);
    if (!isObject(envelope)) throw new Refusal("invalid_parameter", "body must be object.");
    if (!list) throw new Refusal("missing_parameters", "Required parameters are missing: batch.");
    const { sender, type } = from;
    const problem = type === undefined ? sharedProblem(envelope, list.count) : undefined;
    if (problem) throw new Refusal("invalid_parameter", problem);
    const { receivedAtMs } = context;
    // A call that is sent alone says everything itself.
    const shared = type === undefined ? envelope : {};
    const request = { brand: this.#brand, sender, receivedAtMs, shared, ...(type === undefined ? {} : { type }) };
    const admission = new CallAdmission(request);
    const reader = { admission, scope: `write key ${sender.writeKey.id}`, maxBytes: MAX_CALL_BYTES };
    const admitted = await admitElements(body, list, context, reader);
    return admission.isRepeatable || context.idempotencyKey !== undefined
      ? admitted
      : { ...admitted, digest: undefined };
  }

  async #admitEntries(
    body: Buffer,
    context: BodyContext,
    { connector }: Extract<BodySender, { kind: "entries" }>,
  ): Promise<AdmittedBody> {
    const { envelope, list } = await readBatch(body, this.#limits.maxEntries);
    const times = readBatchTimes(envelope);
    if (!list) throw new Error("A body without a list of entries was not refused.");
    const sender = { ...connector, key: this.#keyOf(connector.secret) };
    const batch = { brand: this.#brand, connector: sender, receivedAtMs: context.receivedAtMs, ...times };
    const reader = { admission: new GatewayAdmission(batch), scope: connector.id, maxBytes: MAX_ENTRY_BYTES };
    return admitElements(body, list, context, reader);
  }

  #keyOf(secret: string): HmacKey {
    const key = this.#keys.get(secret) ?? new HmacKey(secret);
    this.#keys.set(secret, key);
    return key;
  }
}

/** How the elements of a batch are read. */
interface ElementReader {
  admission: EntryAdmission;
  /** Equal batches count as one only when their senders are in the same scope. */
  scope: string;
  maxBytes: number;
}

async function admitElements(
  body: Buffer,
  list: OutlinedList,
  { idempotencyKey, keepsRefused }: BodyContext,
  { admission, scope, maxBytes }: ElementReader,
): Promise<AdmittedBody> {
  const active = new LaneCompressor(LANE.active);
  const live = new LaneCompressor(LANE.live);
  // The pipeline takes quiet entries in micro-batches of their own, and bulk work is mostly quiet. Among live entries they would
  // cut the micro-batches of others.
  const quiet = new LaneCompressor(LANE.bulk);
  const digest = new EntriesDigest(scope, body);
  const refusedTexts: string[] = [];
  const breather = new Breather();
  const isSafe = !mayHoldPrototype(body);
  for (const part of list.elements) {
    if (breather.isDue) await breather.pause();
    const tooLargeToParse = sizeProblem(part, maxBytes);
    let admitted: AdmittedEntry | undefined;
    let text = "";
    let entry: unknown;
    if (tooLargeToParse) admission.refuse({ code: "payload_too_large", message: tooLargeToParse });
    else {
      text = body.toString("utf8", part.start, part.end);
      entry = parse(text, isSafe && !part.hasEscapes);
      admitted = admission.add(entry, part);
    }
    if (admitted) (admitted.quiet ? quiet : admitted.active ? active : live).add(admitted.text);
    else if (keepsRefused) refusedTexts.push(text);
    if (idempotencyKey === undefined) digest.add(part, admitted && entry);
  }
  const { accepted, rejected } = admission;
  return {
    accepted,
    rejected,
    parts: [...active.finish(), ...live.finish(), ...quiet.finish()],
    digest: idempotencyKey === undefined ? digest.finish() : digestOfKey(scope, `key ${idempotencyKey}`),
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

  constructor(scope: string, body: Buffer) {
    this.#hash = createHash("sha256").update(`${scope} entries [`);
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
export function digestOfKey(scope: string, key: string): Buffer {
  return createHash("sha256").update(`${scope} ${key}`).digest();
}

/** Whether a key in the body may be one that `parseSafely` removes. Keys with escapes are looked at one by one. */
function mayHoldPrototype(body: Buffer): boolean {
  return body.includes("__proto__") || body.includes("constructor");
}

function parse(text: string, isSafe: boolean): unknown {
  return isSafe ? JSON.parse(text) : parseSafely(text);
}

function sizeProblem({ start, end, values }: Part, maxBytes: number): string | undefined {
  const bytes = end - start;
  if (bytes > maxBytes) return `An entry has at most ${maxBytes} bytes, not ${bytes}.`;
  return values > MAX_VALUES ? `An entry holds at most ${MAX_VALUES} values, not ${values}.` : undefined;
}
