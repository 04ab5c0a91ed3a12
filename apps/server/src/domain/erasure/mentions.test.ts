import { createId } from "@muster/protocol";
import { expect, test } from "vitest";
import { Mentions } from "./mentions.js";

const id = createId("user");
const mentions = new Mentions([
  {
    id,
    identifiers: ["email ann@example.com", "external_id 7", "anonymous_id a.b+c(d", "domain acme.example"],
    erasedAt: new Date(),
  },
]);

test.each([
  `user ${id} failed`,
  '{"email":"ANN@example.com"}',
  "sent to ann@example.com.",
  '{"external_id":"7"}',
  "external_id=7",
  "cookie a.b+c(d",
  "https://acme.example/x",
])("%j names the subject", (text) => expect(mentions.areIn(text)).toBe(true));

test.each(["", "joann@example.com", "ann@example.community", "7 users", '{"external_id":"70"}', "bob@acme.example"])(
  "%j does not name the subject",
  (text) => expect(mentions.areIn(text)).toBe(false),
);

test("without subjects there are no patterns", () => {
  expect(new Mentions([]).patterns).toEqual([]);
});
