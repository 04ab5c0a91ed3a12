import { expect, test } from "vitest";
import { actionSentence, showValue } from "./action-sentence.js";

test("an action is told in a sentence", () => {
  expect(actionSentence({ kind: "track", subject: {}, event: "Scored", properties: { score: 3 } })).toBe(
    'Record the event "Scored" with score = 3',
  );
  expect(actionSentence({ kind: "track", subject: {}, event: "Scored" })).toBe('Record the event "Scored"');
  expect(
    actionSentence({ kind: "traits", subject: { account: { domain: "b.c" } }, attributes: { size: "large" } }),
  ).toBe('Set for the account with domain = "b.c": size = "large"');
  expect(actionSentence({ kind: "alias", subject: {}, body: { anonymous_id: "v" } })).toBe(
    'Add to it: anonymous_id = "v"',
  );
});

test("a value that is not set has a word", () => {
  expect([showValue(null), showValue(""), showValue(0)]).toEqual(["not set", '""', "0"]);
});
