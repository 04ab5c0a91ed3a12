import { createId } from "@muster/protocol";
import { expect, test } from "vitest";
import { Pseudonyms } from "./pseudonyms.js";

const [ann, ben] = [createId("user"), createId("user")];
const pseudonyms = new Pseudonyms([
  { id: ann, identifiers: ["email ann@example.com", "external_id 7", "anonymous_id a.b+c(d"], erasedAt: new Date() },
  {
    id: ben,
    identifiers: ["email ben@example.com", "external_id email-list", "anonymous_id 12345"],
    erasedAt: new Date(),
  },
]);

test.each([
  ["ann@example.com", ann],
  ["ANN@Example.com, ann@example.com ann@example.com", `${ann}, ${ann} ${ann}`],
  ["from ann@example.com to ben@example.com.", `from ${ann} to ${ben}.`],
  ["external_id:7 or external_id=70", `external_id:${ann} or external_id=70`],
  ["cookie a.b+c(d", `cookie ${ann}`],
  ["the email-list", `the ${ben}`],
  ["7 users, joann@example.com", "7 users, joann@example.com"],
  ["", ""],
])("%j becomes %j", (text, expected) => {
  expect(pseudonyms.inText(text)).toBe(expected);
  expect(pseudonyms.inText(expected)).toBe(expected);
});

test("identifiers in JSON are replaced in texts, keys, lists, and as numbers beside their kind", () => {
  const given = {
    query: { terms: { external_id: ["7", 7, "8", "email-list"] }, term: { age: 7, anonymous_id: 12345 }, limit: 12345 },
    "ann@example.com": [null, true, "to ann@example.com"],
  };
  expect(pseudonyms.inJson(given)).toEqual({
    query: { terms: { external_id: [ann, ann, "8", ben] }, term: { age: 7, anonymous_id: ben }, limit: 12345 },
    [ann]: [null, true, `to ${ann}`],
  });
  expect(pseudonyms.inJson({ a: [1, { b: "c" }] })).toEqual({ a: [1, { b: "c" }] });
});

test("the subjects that a text names are found", () => {
  expect(pseudonyms.idsIn("ben@example.com wrote")).toEqual(new Set([ben]));
  expect(pseudonyms.idsIn("ben@example.com about ANN@example.com")).toEqual(new Set([ann, ben]));
  expect(pseudonyms.idsIn("nobody")).toEqual(new Set());
});

test("a text whose lower case has another length is not kept in part", () => {
  const turkish = new Pseudonyms([{ id: ann, identifiers: ["external_id i\u0307stanbul"], erasedAt: new Date() }]);
  expect(turkish.inText("about İstanbul")).toBe("erased");
});
