import { expect, test } from "vitest";
import type { Connector } from "../connectors/connector.js";
import { type CallOutcome, NEW_DELIVERY } from "./delivery.js";
import { withNewSettings, withSettingsPause } from "./settings-pause.js";

// Only these parts are looked at.
const connector = { secret: "s", settings: {}, privateSettings: { key: "bad" } } as unknown as Connector;
const repaired = { ...connector, privateSettings: { key: "good" } };
const decided = { ...NEW_DELIVERY, notBefore: 3_600_000 };
const own = { ...NEW_DELIVERY, notBefore: 2_000 };
const after = (flow: CallOutcome["flow"]) =>
  withSettingsPause(decided, own, { kind: "unavailable", reason: "no", flow }, connector);

test("a pause until the settings change ends with them, but not before Muster's own pause is over", () => {
  const paused = after({ type: "retry", in: 3_600_000, until: "ship:update" });
  expect(withNewSettings(paused, connector).notBefore).toBe(3_600_000);
  expect(withNewSettings(paused, { ...connector, status: "error" }).notBefore).toBe(3_600_000);
  expect(withNewSettings(paused, repaired).notBefore).toBe(2_000);
});

test("any other pause does not end with new settings", () => {
  expect(withNewSettings(after({ type: "retry", in: 3_600_000 }), repaired).notBefore).toBe(3_600_000);
  expect(withNewSettings(after(undefined), repaired).notBefore).toBe(3_600_000);
});

test("an earlier pause for settings is forgotten after a call that does not ask for one", () => {
  const before = after({ type: "retry", in: 3_600_000, until: "ship:update" });
  const failed: CallOutcome = { kind: "unavailable", reason: "no", flow: undefined };
  expect(withSettingsPause({ ...before, notBefore: 9 }, own, failed, connector).settingsPause).toBeUndefined();
});

test("what is stored does not tell the settings", () => {
  const { settingsPause } = after({ type: "retry", until: "ship:update" });
  const other = withSettingsPause(
    decided,
    own,
    { kind: "deferred", flow: { type: "retry", until: "ship:update" } },
    {
      ...connector,
      secret: "t",
    },
  );
  expect(settingsPause?.digest).toMatch(/^[\w-]{43}$/);
  expect(other.settingsPause?.digest).not.toBe(settingsPause?.digest);
});
