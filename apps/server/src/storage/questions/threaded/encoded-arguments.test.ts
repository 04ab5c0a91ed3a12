import { expect, test } from "vitest";
import { decodeArguments, encodeArguments } from "./encoded-arguments.js";

test("functions and signals cross as what they say, and every other value as it is", () => {
  const typeOf = (subjectType: string, key: string) =>
    subjectType === "user" && key === "plan" ? "string" : undefined;
  const asked = new AbortController().signal;
  const answering = new AbortController().signal;
  const lookAlike = { encoded: "signal", as: "typeOf", argument: 0, places: [] };
  const given = ["0198", { typeOf }, { query: { field: "plan" }, signal: asked, after: lookAlike, typeOf }, lookAlike];
  const { signal, ...encoded } = encodeArguments(given);
  expect(signal).toBe(asked);
  const [id, types, options, last] = decodeArguments(structuredClone(encoded), answering);
  expect([id, last]).toEqual(["0198", lookAlike]);
  expect(options).toMatchObject({ query: { field: "plan" }, after: lookAlike });
  expect((options as { signal: unknown }).signal).toBe(answering);
  for (const known of [types, options] as { typeOf: typeof typeOf }[]) {
    expect([known.typeOf("user", "plan"), known.typeOf("account", "plan"), known.typeOf("user", "other")]).toEqual([
      "string",
      undefined,
      undefined,
    ]);
  }
});
