import { hash, randomBytes } from "node:crypto";
import { type ObjectType, TYPE_CODES } from "./api/object-ids.js";

const COUNTER_SIZE = 0x1000000;

// Two processes with the same 16 bits make the same id only in the same millisecond and with the same count.
const processPart = hex(randomBytes(2).readUInt16BE(), 4);
let counter = randomBytes(3).readUIntBE(0, 3);

export function createId(type: ObjectType, now = Date.now()): string {
  counter = (counter + 1) % COUNTER_SIZE;
  return hex(now, 12) + hex(TYPE_CODES[type], 2) + processPart + hex(counter, 6);
}

/** Deterministic: the same time and key always give the same id. For objects that a sender may send twice. */
export function deriveId(type: ObjectType, createdAtMs: number, key: string): string {
  const digest = hash("sha256", key, "hex").slice(0, 10);
  return hex(createdAtMs, 12) + hex(TYPE_CODES[type], 2) + digest;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
