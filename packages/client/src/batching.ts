/** When batches are sent, how often delivery is tried, and how much may wait. */
export interface Batching {
  /** A batch is sent when it holds this many entries. Default 2,000; the gateway accepts 5,000. */
  readonly maxEntries: number;
  /** … or this many bytes before compression. Default 2,000,000; the gateway accepts 10 MB. */
  readonly maxBytes: number;
  /** … or when its first entry has waited this long. Default 100 ms. */
  readonly maxDelayMs: number;
  /** Entries beyond this many bytes of memory are refused with `queue_full`. Default 64 MB. */
  readonly maxQueueBytes: number;
  /** How often a batch is sent before its entries are rejected. Default 10, over about a minute and a half. */
  readonly maxAttempts: number;
  /** How long one attempt may take. Default 30 s. */
  readonly timeoutMs: number;
  /** Compress batches with gzip. Default true. */
  readonly gzip: boolean;
}

const DEFAULTS: Batching = {
  maxEntries: 2_000,
  maxBytes: 2_000_000,
  maxDelayMs: 100,
  maxQueueBytes: 64_000_000,
  maxAttempts: 10,
  timeoutMs: 30_000,
  gzip: true,
};

/** `maxDelayMs: 0` sends at the end of the current turn of the event loop. */
const LEAST: Record<Exclude<keyof Batching, "gzip">, number> = {
  maxEntries: 1,
  maxBytes: 1,
  maxDelayMs: 0,
  maxQueueBytes: 1,
  maxAttempts: 1,
  timeoutMs: 1,
};

/** The longest delay of a Node timer; also more than enough for bytes and entries. */
const MOST = 2_147_483_647;

/** Fills in the defaults; adds a sentence to `problems` for each value that cannot be used. */
export function readBatching(given: Partial<Batching>, problems: string[]): Batching {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    problems.push("`batching` must be an object");
    return DEFAULTS;
  }
  const values: Record<string, unknown> = { ...given };
  for (const [key, least] of Object.entries(LEAST)) {
    const value = values[key];
    if (value !== undefined && !(Number.isInteger(value) && Number(value) >= least && Number(value) <= MOST)) {
      problems.push(`\`batching.${key}\` must be a whole number from ${least} to ${MOST}`);
    }
  }
  if (given.gzip !== undefined && typeof given.gzip !== "boolean") {
    problems.push("`batching.gzip` must be true or false");
  }
  return {
    maxEntries: given.maxEntries ?? DEFAULTS.maxEntries,
    maxBytes: given.maxBytes ?? DEFAULTS.maxBytes,
    maxDelayMs: given.maxDelayMs ?? DEFAULTS.maxDelayMs,
    maxQueueBytes: given.maxQueueBytes ?? DEFAULTS.maxQueueBytes,
    maxAttempts: given.maxAttempts ?? DEFAULTS.maxAttempts,
    timeoutMs: given.timeoutMs ?? DEFAULTS.timeoutMs,
    gzip: given.gzip ?? DEFAULTS.gzip,
  };
}
