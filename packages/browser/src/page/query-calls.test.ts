import { expect, test } from "vitest";
import { readQueryCalls } from "./query-calls.js";

const read = (search: string) => readQueryCalls(search, "sjs_");

test("a query string without our parameters asks for nothing", () => {
  expect(read("?utm_source=mail&event=x&hjs_event=y")).toEqual({});
});

test("each parameter asks for its call", () => {
  expect(
    read("?sjs_event=Opened%20mail&sjs_prop_campaign=may&sjs_aid=a-1&sjs_trait_plan=pro&sjs_trait_crm/stage=won"),
  ).toEqual({
    alias: { anonymous_id: "a-1", from: "link" },
    traits: { plan: "pro", "crm/stage": "won" },
    track: { event: "Opened mail", properties: { campaign: "may" } },
  });
});

test("an id of a link is a hint, and a signed token is passed on as it is", () => {
  const token = `${btoa('{"alg":"HS256"}')}.${"a".repeat(150)}.b_-`;
  expect(read(`?sjs_aid=${token}`)).toEqual({ alias: { token } });
  expect(read("?sjs_aid=a.b.c")).toEqual({ alias: { anonymous_id: "a.b.c", from: "link" } });
  for (const wrong of ["a%20b", "x".repeat(129), "%3Cb%3E"]) expect(read(`?sjs_aid=${wrong}`)).toEqual({});
});

test("properties alone do nothing", () => {
  expect(read("?sjs_prop_campaign=may")).toEqual({});
});

test("of a repeated parameter the first one is used, and empty ones are not", () => {
  expect(read("?sjs_event=&sjs_event=one&sjs_event=two")).toEqual({ track: { event: "one", properties: {} } });
});

test("long values are cut, long names and too many parameters are left out", () => {
  expect(read(`?sjs_event=${"x".repeat(5_000)}`).track?.event).toHaveLength(1_000);
  expect(read(`?sjs_trait_${"x".repeat(5_000)}=1`)).toEqual({});
  const many = Array.from({ length: 500 }, (_, at) => `sjs_trait_a${at}=1`).join("&");
  expect(Object.keys(read(`?${many}`).traits ?? {})).toHaveLength(50);
});

test("names of the prototype are plain names", () => {
  const { traits } = read("?sjs_trait___proto__=x&sjs_trait_constructor=y");
  expect(Object.keys(traits ?? {})).toEqual(["__proto__", "constructor"]);
});

test("a link agrees to nothing for whoever opens it", () => {
  const search = "?sjs_trait_consents/marketing=true&sjs_trait_traits_consents%2Fmarketing=true&sjs_trait_plan=pro";
  expect(read(search).traits).toEqual({ plan: "pro" });
});
