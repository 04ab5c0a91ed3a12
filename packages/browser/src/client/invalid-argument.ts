import { BrowserError } from "../browser-error.js";
import { handled } from "../guarded.js";

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

export function invalid(message: string): BrowserError {
  return new BrowserError("invalid_argument", message);
}

/** Rejects a call with a wrong argument. */
export function failed(message: string): Promise<never> {
  return handled(Promise.reject(invalid(message)));
}
