import type { DeliveryState } from "./delivery.js";

/** Why no call is made to a connector at the moment, as a sentence. Undefined when calls may be made. */
export function pauseReason(state: DeliveryState, now: number): string | undefined {
  const { notBefore, settingsPause, failures, deferrals } = state;
  if (notBefore <= now) return undefined;
  if (settingsPause) return "The connector waits until its settings are changed.";
  if (failures > 0) return failures === 1 ? "The last call failed." : `The last ${failures} calls failed.`;
  if (deferrals > 0) return "The connector asked to get these messages later.";
  return "The connector asked for a pause before the next call.";
}
