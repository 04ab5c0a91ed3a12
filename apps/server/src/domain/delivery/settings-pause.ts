import { createHmac } from "node:crypto";
import type { Connector } from "../connectors/connector.js";
import type { CallOutcome, DeliveryState } from "./delivery.js";

/**
 * The state after a call whose answer asks to wait until the settings change.
 *
 * @param decided The state after the call, with the pause that the connector asked for.
 * @param own The state after the call with Muster's own pause.
 */
export function withSettingsPause(
  decided: DeliveryState,
  own: DeliveryState,
  { flow }: CallOutcome,
  sentTo: Connector,
): DeliveryState {
  const isAsked = flow?.type === "retry" && flow.until === "ship:update";
  const settingsPause = { digest: settingsDigest(sentTo), notBefore: own.notBefore };
  return { ...decided, settingsPause: isAsked ? settingsPause : undefined };
}

/** The state with its pause ended early, if the connector waits for other settings and has got them. */
export function withNewSettings(state: DeliveryState, connector: Connector): DeliveryState {
  const { settingsPause, notBefore } = state;
  if (!settingsPause || settingsPause.digest === settingsDigest(connector)) return state;
  return { ...state, notBefore: Math.min(notBefore, settingsPause.notBefore) };
}

/** The secret is the key of the digest, because the digest is stored where settings must not be guessed from it. */
function settingsDigest({ secret, settings, privateSettings }: Connector): string {
  return createHmac("sha256", secret)
    .update(JSON.stringify([settings, privateSettings]))
    .digest("base64url");
}
