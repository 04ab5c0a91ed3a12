import { readCookies, writeCookie } from "./identity/cookies.js";

/** A random id. `crypto.randomUUID` is missing on pages without https. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

export function isMobile(): boolean {
  return /Android|iPhone|iPad|iPod|Mobile|Opera Mini/i.test(navigator.userAgent);
}

export interface Cookies {
  get(name: string): string | undefined;
  set(name: string, value: string, options?: { expires?: number }): void;
  remove(name: string): void;
}

const DAY_SECONDS = 24 * 60 * 60;

/** Reads and writes cookies of the page. `expires` is a number of days; without it a cookie lasts for a year. */
export function cookies(): Cookies {
  return {
    get: (name) => readCookies(document)[name],
    set: (name, value, { expires = 365 } = {}) =>
      writeCookie(document, name, value, { maxAgeSeconds: expires * DAY_SECONDS }),
    remove: (name) => writeCookie(document, name, "", { maxAgeSeconds: 0 }),
  };
}
