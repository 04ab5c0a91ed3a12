import { createCipheriv, createHash } from "node:crypto";
import { inject } from "vitest";
import type {} from "./choose-seed.js";

export interface SeededRandom {
  /** A number from 0 up to, but not including, 1. */
  fraction(): number;
  bytes(size: number): Buffer;
}

/** Random numbers that depend on nothing but the seed of the test run and the purpose. */
export function seededRandom(purpose: string): SeededRandom {
  const key = createHash("sha256")
    .update(`${inject("seed")} ${purpose}`)
    .digest();
  const cipher = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
  const bytes = (size: number) => cipher.update(Buffer.alloc(size));
  return { bytes, fraction: () => bytes(4).readUInt32BE() / 2 ** 32 };
}
