import { expect, it } from "vitest";
import { NEW_DELIVERY } from "./delivery.js";
import { pauseReason } from "./pause-reason.js";

const NOW = 1_000_000;
const paused = { ...NEW_DELIVERY, notBefore: NOW + 30_000 };

it("says why a connector is not called", () => {
  expect(pauseReason(paused, NOW)).toBe("The connector asked for a pause before the next call.");
  expect(pauseReason({ ...paused, deferrals: 1 }, NOW)).toBe("The connector asked to get these messages later.");
  expect(pauseReason({ ...paused, failures: 1 }, NOW)).toBe("The last call failed.");
  expect(pauseReason({ ...paused, failures: 3, deferrals: 1 }, NOW)).toBe("The last 3 calls failed.");
  const settingsPause = { digest: "", notBefore: 0 };
  expect(pauseReason({ ...paused, failures: 3, settingsPause }, NOW)).toBe(
    "The connector waits until its settings are changed.",
  );
});

it("says nothing when calls may be made", () => {
  expect(pauseReason({ ...paused, failures: 3 }, NOW + 30_000)).toBeUndefined();
});
