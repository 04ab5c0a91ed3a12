import { describe, expect, it, vi } from "vitest";
import { openCache, protectReservedKeys } from "./connector-cache.js";
import { openMemoryCache } from "./memory-cache.js";

const store = openMemoryCache();
const mine = { id: "0198c2a4f1d002a1b2c3d4e5", organization: "acme.example.com", secret: "s" };

describe("the cache of a connector", () => {
  it("returns a value until it is deleted or expires", async () => {
    const cache = protectReservedKeys(openCache(store, mine));
    await cache.set("lists", [1, 2]);
    expect(await cache.get("lists")).toEqual([1, 2]);
    await cache.del("lists");
    expect(await cache.get("lists")).toBeUndefined();
    await cache.set("lists", [3]);
    await cache.clear("lists");
    expect(await cache.get("lists")).toBeUndefined();
    await cache.set("short", 1, 1);
    await vi.waitFor(async () => expect(await cache.get("short")).toBeUndefined());
  });

  it("loads a wrapped value once, also for concurrent calls, and again after a failure", async () => {
    const cache = protectReservedKeys(openCache(store, mine));
    const load = vi.fn(async () => "loaded");
    expect(await Promise.all([cache.wrap("w", load), cache.wrap("w", load)])).toEqual(["loaded", "loaded"]);
    expect(await cache.wrap("w", load)).toBe("loaded");
    expect(load).toHaveBeenCalledOnce();
    await expect(cache.wrap("f", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await cache.wrap("f", async () => "second")).toBe("second");
  });

  it("is separate for each connector, organization and secret", async () => {
    await openCache(store, mine).set("k", "mine");
    for (const other of [{ secret: "wrong" }, { organization: "b.example.com" }, { id: "0198c2a4f1d002a1b2c3d4e6" }]) {
      expect(await openCache(store, { ...mine, ...other }).get("k")).toBeUndefined();
    }
  });

  it("does not let handlers write its reserved keys", async () => {
    const cache = protectReservedKeys(openCache(store, mine));
    for (const key of ["segments", mine.id]) {
      await expect(cache.set(key, 1)).rejects.toThrow(`The cache key "${key}" is reserved`);
      await expect(cache.wrap(key, async () => 1)).rejects.toThrow("is reserved");
      await expect(cache.del(key)).resolves.toBeUndefined();
    }
  });

  it("that is switched off keeps nothing, and its reserved keys stay reserved", async () => {
    const cache = protectReservedKeys(openCache(false, mine));
    await cache.set("lists", [1]);
    expect(await cache.get("lists")).toBeUndefined();
    const load = vi.fn(async () => "loaded");
    expect([await cache.wrap("w", load), await cache.wrap("w", load)]).toEqual(["loaded", "loaded"]);
    expect(load).toHaveBeenCalledTimes(2);
    await expect(cache.set("segments", 1)).rejects.toThrow("is reserved");
    await Promise.all([cache.del("w"), cache.clear("w")]);
  });

  it("in memory drops the least recently used value when it is full", async () => {
    const cache = openCache(openMemoryCache(2), mine);
    await cache.set("a", 1);
    await cache.set("b", 2);
    await cache.get("a");
    await cache.set("c", 3);
    expect([await cache.get("a"), await cache.get("b"), await cache.get("c")]).toEqual([1, undefined, 3]);
  });
});
