import { expect, test } from "vitest";
import { impactSentence, needsSecondYes } from "./impact-words.js";

const impact = {
  total: 10_000,
  size_before: 5,
  size_after: 14,
  entering: 12,
  leaving: 3,
  share: 0.0015,
  connectors: [{ id: "a", name: "Mailer", enabled: true, messages: 15 }],
};

test("the sentence says who moves and how many messages connectors get", () => {
  expect(impactSentence(impact, "user")).toBe("12 users enter and 3 leave (0.2% of all). Mailer gets 15 messages.");
  expect(impactSentence({ ...impact, entering: 0, leaving: 1, connectors: [] }, "account")).toBe(
    "1 account leaves (0.2% of all). No connector gets messages.",
  );
  expect(impactSentence({ ...impact, entering: 0, leaving: 0, connectors: [] }, "user")).toBe(
    "Nobody enters or leaves. No connector gets messages.",
  );
});

test("a second yes is needed above a tenth of all, or above 1,000 messages to one connector", () => {
  const many = [{ id: "a", name: "Mailer", enabled: true, messages: 1_001 }];
  expect(needsSecondYes(impact)).toBe(false);
  expect(needsSecondYes({ ...impact, share: 0.1 })).toBe(false);
  expect(needsSecondYes({ ...impact, share: 0.11 })).toBe(true);
  expect(needsSecondYes({ ...impact, connectors: many })).toBe(true);
});
