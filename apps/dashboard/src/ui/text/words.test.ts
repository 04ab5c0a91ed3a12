import { expect, test } from "vitest";
import { attributeName, channelWords, fieldName, timeWords } from "./words.js";

test("attributes keep their own names, and built-in fields have words", () => {
  expect(attributeName("traits_plan")).toBe("plan");
  expect(attributeName("account.traits_plan")).toBe("plan");
  expect(fieldName("traits_last_order")).toBe("last_order");
  expect(fieldName("account.created_at")).toBe("Account: Created at");
  expect(fieldName("external_id")).toBe("External ID");
  expect(fieldName("account.external_id")).toBe("Account: External ID");
  expect(fieldName("session_id")).toBe("Session ID");
});

test("messages are told by what they are about, also on channels that are not known here", () => {
  expect(channelWords("user:update")).toBe("A user changed");
  expect(channelWords("ship:update")).toBe("The connector's settings changed");
  expect(channelWords("order:paid_late")).toBe("Order paid late");
});

test("times from now are told as people say them", () => {
  expect(timeWords("now+3d")).toBe("in 3 days");
  expect(timeWords("now-1M/d")).toBe("1 month ago");
  expect(timeWords("2026-01-31")).toBe("2026-01-31");
});
