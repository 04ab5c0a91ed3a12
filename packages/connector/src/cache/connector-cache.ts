import { isId } from "@muster/protocol";
import type { Cache } from "cache-manager";
import { type Credentials, digestOf } from "../trust/credentials.js";

/** The cache of a context. Connectors that share a store do not see each other's keys. */
export interface ConnectorCache {
  /**
   * @example
   * const lists = await ctx.cache.get<List[]>("lists");
   */
  get<Value>(key: string): Promise<Value | undefined>;
  /** Stores a value for `ttlMs`, or for the store's default time. */
  set<Value>(key: string, value: Value, ttlMs?: number): Promise<void>;
  /**
   * The cached value; without one, calls `load` and caches its result. Concurrent calls load once.
   *
   * @example
   * const lists = await ctx.cache.wrap("lists", () => fetchLists(ctx), 60_000);
   */
  wrap<Value>(key: string, load: () => Promise<Value>, ttlMs?: number): Promise<Value>;
  del(key: string): Promise<void>;
  /** The same as `del`. */
  clear(key: string): Promise<void>;
}

export const SEGMENTS_KEY = "segments";

/** With the option `cache: false`: nothing is kept. */
const NO_CACHE: ConnectorCache = {
  get: async () => undefined,
  set: async () => undefined,
  wrap: (_key, load) => load(),
  del: async () => undefined,
  clear: async () => undefined,
};

/** The cache as the library itself uses it, reserved keys included. */
export function openCache(store: Cache | false, credentials: Credentials): ConnectorCache {
  if (store === false) return NO_CACHE;
  // A key holds a digest of the secret: a caller with a wrong secret finds nothing, and the store never sees the secret.
  const scope = digestOf(credentials);
  const keyOf = (key: string) => `${scope}:${key}`;
  const del = async (key: string) => void (await store.del(keyOf(key)));
  return {
    get: (key) => store.get(keyOf(key)),
    set: async (key, value, ttlMs) => void (await store.set(keyOf(key), value, ttlMs)),
    wrap: (key, load, ttlMs) => store.wrap(keyOf(key), load, ttlMs),
    del,
    clear: del,
  };
}

/** The cache for handlers. They cannot write `segments` and connector ids, which the library uses itself. */
export function protectReservedKeys(cache: ConnectorCache): ConnectorCache {
  return {
    ...cache,
    async set(key, value, ttlMs) {
      refuseReserved(key);
      await cache.set(key, value, ttlMs);
    },
    async wrap(key, load, ttlMs) {
      refuseReserved(key);
      return cache.wrap(key, load, ttlMs);
    },
  };
}

function refuseReserved(key: string): void {
  if (key !== SEGMENTS_KEY && !isId(key)) return;
  throw new Error(`The cache key "${key}" is reserved: "${SEGMENTS_KEY}" and connector ids are kept by the library.`);
}
