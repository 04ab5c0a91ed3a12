import { createKeyv } from "@cacheable/memory";
import { type Cache, createCache } from "cache-manager";

// A connector that does not subscribe to `ship:update` sees new settings after this long.
const TTL_MS = 60_000;

/** A cache in memory of limited size. The least recently used value is dropped first. */
export function openMemoryCache(maxEntries = 50_000): Cache {
  return createCache({ ttl: TTL_MS, stores: [createKeyv({ lruSize: maxEntries })] });
}
