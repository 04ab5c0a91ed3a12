import type { WriteKey } from "../connectors/write-key.js";

/** Who sends analytics calls, and what the request tells. */
export interface CallSender {
  connectorId: string;
  writeKey: Pick<WriteKey, "id" | "kind" | "apps" | "trustsIdentify">;
  /** The page's domain was checked. A call from elsewhere must name an app of the key. */
  isOnPage: boolean;
  ip: string;
  userAgent: string | undefined;
}

/** Whether what the calls say of who somebody is counts as proof. */
export function isProof({ writeKey: { kind, trustsIdentify } }: CallSender): boolean {
  return kind === "server" || trustsIdentify;
}
