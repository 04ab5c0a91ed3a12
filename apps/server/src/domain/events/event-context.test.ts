import { expect, test } from "vitest";
import { addressOf, type ContextReaders, eventContext } from "./event-context.js";

const readers: ContextReaders = {
  locate: (ip) => (ip.startsWith("8.") ? { country: "US" } : undefined),
  readUserAgent: (text) => ({ browser: { name: text } }),
};

test("an event without address, pages and user agent has an empty context", () => {
  expect(eventContext({}, {}, readers)).toEqual({});
});

test("the address, page, referrer and user agent of the body are preferred to those of the request", () => {
  const body = { ip: "8.8.8.8", url: "https://a.example/x", referer: "https://b.example/", useragent: "Own" };
  const given = { ip: "9.9.9.9", url: "https://c.example/", referer: "https://d.example/", useragent: "Given" };
  expect(eventContext(body, given, readers)).toEqual({
    ip: "8.8.8.8",
    location: { country: "US" },
    useragent: "Own",
    browser: { name: "Own" },
    page: { url: "https://a.example/x", host: "a.example", path: "/x" },
    referrer: { url: "https://b.example/", host: "b.example", path: "/" },
  });
});

test("other fields of the client's context are kept, and a field of Muster occurs once, under Muster's name", () => {
  expect(eventContext({}, { library: "js", userAgent: "Given", ip: "8.1.1.1" }, readers)).toEqual({
    library: "js",
    ip: "8.1.1.1",
    location: { country: "US" },
    useragent: "Given",
    browser: { name: "Given" },
  });
});

test.each([null, 0, "0", "0.0.0.0", "", 12, {}])(
  "an ip of %j means that a server sent the event, so the request's address is not used",
  (ip) => {
    expect(addressOf({ ip }, { ip: "8.8.8.8" })).toBeUndefined();
  },
);

test("what a client says of its page and its device is kept beside what the URL and the user agent tell", () => {
  const page = { title: "Teas", search: "?a=1" };
  const given = {
    url: "https://a.example/x",
    page,
    device: { type: "ios" },
    browser: { name: "Own" },
    userAgent: "Given",
  };
  expect(eventContext({}, given, readers)).toEqual({
    useragent: "Given",
    browser: { name: "Own" },
    device: { type: "ios" },
    page: { ...page, url: "https://a.example/x", host: "a.example", path: "/x" },
  });
});

test("a campaign is read from those utm parameters that the page has", () => {
  const campaign = (url: string) => eventContext({ url }, {}, readers).campaign;
  expect(campaign("https://a.example/?utm_source=news&utm_campaign=may%20sale")).toEqual({
    source: "news",
    name: "may sale",
  });
  expect(campaign("https://a.example/?utm_source=")).toBeUndefined();
  expect(campaign("https://a.example/utm_source")).toBeUndefined();
  expect(campaign("utm_source=x")).toBeUndefined();
});
