import { expect, test } from "vitest";
import { mayTell } from "./integrations.js";

test.each([
  [undefined, true],
  [{}, true],
  [{ CRM: false }, false],
  [{ " crm ": false }, false],
  [{ Mail: false }, true],
  [{ All: false }, false],
  [{ All: false, CRM: true }, true],
  [{ All: true, CRM: false }, false],
  ["no", true],
])("a connector named CRM and the integrations %j", (integrations, expected) => {
  expect(mayTell({ integrations }, "CRM")).toBe(expected);
});
