import { Refusal } from "@muster/protocol";

/** Refuses a parameter that is not an http or https address. `path` is its place in the request. */
export function requireHttpAddress(given: string, path: string): void {
  if (URL.canParse(given) && ["http:", "https:"].includes(new URL(given).protocol)) return;
  const message = "is not an http or https address";
  throw new Refusal("invalid_parameter", `${path} ${message}.`, { details: [{ path, message }] });
}
