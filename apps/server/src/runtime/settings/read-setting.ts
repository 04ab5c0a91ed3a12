import { isIP } from "node:net";
import { totalmem } from "node:os";
import { ROLES, type Role } from "./roles.js";

// How the texts of settings are read.

/** Says what a setting expects, when its value is something else. */
export class BadValue extends Error {}

export const text = (value: string) => value;
export const integer =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (value: string) => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < min || number > max) {
      throw new BadValue(`expects a whole number from ${min} to ${max}`);
    }
    return number;
  };
/** Bytes of memory. 0 means a quarter of the memory of the machine or container, from `min` to `most`. */
export const memoryBytes =
  (min: number, most: number) =>
  (value: string): number => {
    const bytes = Number(value);
    if (!Number.isInteger(bytes) || (bytes !== 0 && bytes < min)) {
      throw new BadValue(`expects 0 or a whole number from ${min}`);
    }
    if (bytes !== 0) return bytes;
    // Without a limit of a container, Node gives a number that is larger than any memory, or none.
    const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
    return Math.max(min, Math.min(most, Math.floor(memory / 4)));
  };
export const flag = (value: string) => {
  if (value !== "true" && value !== "false") throw new BadValue("expects true or false");
  return value === "true";
};
export const url =
  (...protocols: string[]) =>
  (value: string) => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol.slice(0, -1))) {
      throw new BadValue(`expects a URL that starts with ${protocols.map((name) => `${name}://`).join(" or ")}`);
    }
    return value;
  };
/** Addresses with one protocol, separated by commas. */
export const urls =
  (...protocols: string[]) =>
  (value: string) => {
    for (const part of list(value)) url(...protocols)(part);
    return value;
  };
export const oneOf =
  <Value extends string>(...values: Value[]) =>
  (value: string) => {
    if (!values.includes(value as Value)) throw new BadValue(`expects one of ${values.join(", ")}`);
    return value as Value;
  };
export const roles = (value: string): Role[] => {
  const names = value.split(",").map((name) => name.trim());
  const areKnown = names.every((name) => ROLES.includes(name as Role));
  if (!areKnown) throw new BadValue(`expects one or more of ${ROLES.join(", ")}`);
  return names as Role[];
};
/** A part of a whole. */
export const share = (value: string): number => {
  const number = Number(value);
  if (!(number > 0 && number <= 1)) throw new BadValue("expects a number above 0 and at most 1");
  return number;
};
export const list = (value: string): string[] =>
  value
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
const PROXY_RANGES = ["loopback", "linklocal", "uniquelocal"];
/** Which proxies in front of the server are believed. `true` would let every client choose its own address. */
export const proxies = (value: string): false | number | string[] => {
  if (value === "false") return false;
  if (/^[1-9]\d?$/.test(value)) return Number(value);
  const ranges = list(value);
  if (ranges.length === 0 || !ranges.every((range) => PROXY_RANGES.includes(range) || isAddressRange(range))) {
    throw new BadValue(
      "expects false, the number of proxies in front of the server (such as 1), or their addresses and ranges (such as 10.0.0.0/8, separated by commas)",
    );
  }
  return ranges;
};
function isAddressRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
export const brandWord = (value: string) => {
  if (!/^[A-Z][A-Za-z0-9]{1,20}$/.test(value)) throw new BadValue("expects a capitalised word of letters and digits");
  return value;
};
// The name becomes part of SQL statements. Braces are for macros of the ClickHouse server, such as `{cluster}`.
export const clusterName = (value: string) => {
  if (!/^[\w.{}-]{1,100}$/.test(value)) throw new BadValue("expects a name of letters, digits, _, -, ., { and }");
  return value;
};
