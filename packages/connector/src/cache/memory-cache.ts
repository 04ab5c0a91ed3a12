import { createKeyv } from "@cacheable/memory";
import { type Cache, createCache } from "cache-manager";

// A connector that is not told about its own changes sees them after this long.
const TTL_MS = 60_000;

/** A cache in memory. What was not used longest makes room: it must not grow with what passes through it. */
export function openMemoryCache(maxEntries = 50_000): Cache {
  return createCache({ ttl: TTL_MS, stores: [createKeyv({ lruSize: maxEntries })] });
}
