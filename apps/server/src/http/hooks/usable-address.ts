import { Refusal } from "@muster/protocol";

/** Refuses what is no address that we could send a request to. */
export function requireHttpAddress(given: string, path: string): void {
  if (URL.canParse(given) && ["http:", "https:"].includes(new URL(given).protocol)) return;
  const message = "is not an http or https address";
  throw new Refusal("invalid_parameter", `${path} ${message}.`, { details: [{ path, message }] });
}
