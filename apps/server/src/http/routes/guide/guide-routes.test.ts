import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";
import { Guide } from "./guide.js";

const REPOSITORY = fileURLToPath(new URL("../../../../../../", import.meta.url));
const DOCS = join(REPOSITORY, "docs");

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

const get = (url: string) => server.app.inject({ url });

async function pageAddresses(): Promise<string[]> {
  const files = await readdir(DOCS, { recursive: true });
  return files
    .filter((file) => file.endsWith(".md"))
    .map((file) => `/guide/${file.replace(/\.md$/, "")}`.replace(/\/README$/, ""));
}

test("every page answers with HTML that runs nothing but our script", async () => {
  for (const address of await pageAddresses()) {
    const { statusCode, headers, body } = await get(address);
    expect([address, statusCode, headers["content-type"]]).toEqual([address, 200, "text/html; charset=utf-8"]);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toMatch(/default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/);
    expect(body).toMatch(/<main id="content">\s*<h1 id="/);
  }
});

test("all links between pages, to sections and to images lead somewhere", async () => {
  const broken: string[] = [];
  const anchors = new Map<string, Set<string> | undefined>();
  const anchorsOf = async (address: string) => {
    if (!anchors.has(address)) {
      const { statusCode, body } = await get(address);
      const ids = [...body.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id ?? "");
      anchors.set(address, statusCode === 200 ? new Set(ids) : undefined);
    }
    return anchors.get(address);
  };
  for (const page of await pageAddresses()) {
    const { body } = await get(page);
    const content = body.slice(body.indexOf("<main"));
    for (const [, link = ""] of content.matchAll(/(?:href|src)="([^"]*)"/g)) {
      if (/^https?:/.test(link)) continue;
      const [address = "", anchor = ""] = (link.startsWith("#") ? `${page}${link}` : link).split("#");
      if (!address.startsWith("/guide")) continue;
      const found = await anchorsOf(address);
      if (!found || (anchor !== "" && !found.has(decodeURIComponent(anchor)))) broken.push(`${page} → ${link}`);
    }
    for (const [, file = ""] of content.matchAll(/title="([^"]+), in the repository"/g)) {
      if (!existsSync(join(REPOSITORY, file.split("#")[0] ?? ""))) broken.push(`${page} → ${file}`);
    }
  }
  expect(broken).toEqual([]);
});

test("every page is in the list, with the pages before and after it", async () => {
  const guide = new Guide();
  const listed = new Set((await guide.groups()).flatMap(({ entries }) => entries.map(({ address }) => address)));
  const missing = (await pageAddresses()).filter(
    (address) => address !== "/guide" && !address.startsWith("/guide/decisions/") && !listed.has(address),
  );
  expect(missing).toEqual([]);
  expect(await guide.page("concepts")).toMatchObject({
    previous: { title: "Install", address: "/guide/install" },
    next: { title: "The dashboard" },
  });
  expect(await guide.page("decisions/0001-two-engines")).toMatchObject({ previous: undefined, next: undefined });
});

test("guides come first in the list, and what only explains Muster is its appendix", async () => {
  const groups = await new Guide().groups();
  expect(groups[0]?.entries[0]?.title).toBe("Quick start");
  expect(groups.at(-1)).toMatchObject({
    title: "Appendix",
    entries: [{ title: "Performance" }, { title: "A million records a second" }, { title: "Decisions" }],
  });
});

test("every page that the dashboard links to is there", async () => {
  const sources = join(REPOSITORY, "apps/dashboard/src");
  const files = (await readdir(sources, { recursive: true })).filter((file) => file.endsWith(".tsx"));
  const texts = await Promise.all(files.map((file) => readFile(join(sources, file), "utf8")));
  const pages = texts.flatMap((text) => [...text.matchAll(/<GuideLink page="([^"]+)"/g)].map(([, page]) => page ?? ""));
  expect(pages).not.toEqual([]);
  const missing = pages.filter((page) => !existsSync(join(DOCS, `${page}.md`)));
  expect(missing).toEqual([]);
});

describe("the search", () => {
  const guide = new Guide();

  test("finds sections by their words, the beginnings of words, and words with a typing error", async () => {
    for (const words of ["journey of a record", "journ rec", "jurney record"]) {
      const { statusCode, body } = await get(`/guide/search?q=${encodeURIComponent(words)}`);
      expect([words, statusCode]).toEqual([words, 200]);
      expect(body).toContain('<a href="/guide/concepts#the-journey-of-a-record">Concepts: The journey of a record</a>');
    }
  });

  test.each([
    ["segment", "/guide/segments"],
    ["segments", "/guide/segments"],
    ["tokens", "/guide/tokens"],
    ["import", "/guide/import"],
    ["writing connector", "/guide/connectors/writing"],
    ["secur", "/guide/security"],
  ])("for %s begins with the page that has it as its title, then come headings, then text", async (words, first) => {
    const hits = await guide.find(words);
    expect(hits[0]).toMatchObject({ address: first, section: "" });
    const placeOf = ({ page, section }: (typeof hits)[number]) => {
      const heading = (section || page).toLowerCase();
      return words.split(" ").every((word) => heading.includes(word)) ? (section === "" ? 0 : 1) : 2;
    };
    const places = hits.map(placeOf);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  test("shows a passage in which the words are marked", async () => {
    const { body } = await get("/guide/search?q=PUBLIC_URL");
    expect(body).toMatch(/<a href="\/guide\/settings">Settings<\/a><p>[^\n]*<mark>PUBLIC_URL<\/mark>/);
  });

  test("shows what was typed as text", async () => {
    const { body } = await get(`/guide/search?q=${encodeURIComponent('"><script>alert(1)</script>(')}`);
    expect(body).not.toContain("<script>alert");
    expect(body).toContain("&lt;script>alert(1)&lt;/script>(");
  });

  test("says so when nothing was found, and asks for words when there are none", async () => {
    expect((await get("/guide/search?q=xyzzyxyzzy")).body).toContain("No page has these words.");
    expect((await get("/guide/search")).body).toContain("Type words above.");
    expect((await get(`/guide/search?q=${"x".repeat(201)}`)).statusCode).toBe(400);
  });
});

describe("of a search that would take long", () => {
  const guide = new Guide();

  test("the first eight words count", async () => {
    const wordsOf = async (words: string[]) => (await guide.find(words.join(" "))).flatMap((hit) => hit.words);
    const many = ["journey", "record", "segment", "account", "attribute", "profile", "gateway", "token", "connector"];
    const found = await wordsOf(many);
    expect(found).toContain("journey");
    expect(found).toContain("token");
    expect(found.filter((word) => word.startsWith("connector"))).toEqual([]);
  });

  test("words of one or two letters are whole words, and no beginnings of words", async () => {
    const hits = await guide.find("a b c d e f g h i j k l m n o p q r s t u v w x y z aa bb cc");
    expect(hits.flatMap(({ words }) => words).filter((word) => word.length > 2)).toEqual([]);
  });

  test("a long word has at most two typing errors", async () => {
    expect((await guide.find("authentication")).length).toBeGreaterThan(0);
    expect(await guide.find(`authe${"x".repeat(190)}`)).toEqual([]);
  });

  test("at most 20 words of a section are marked", async () => {
    const hits = await guide.find("con pro the and mus use ser rec");
    expect(Math.max(...hits.map(({ words }) => words.length))).toBeLessThanOrEqual(20);
  });
});

test.each([
  ["a long name", `/guide/${"a".repeat(5_000)}`],
  ["a name that no file can have", `/guide/${"a".repeat(256)}`],
  ["many folders", `/guide/${"a/".repeat(3_000)}a`],
  ["a long name of a drawing", `/guide/${"a".repeat(5_000)}.svg`],
])("%s is a page that is not there", async (_what, url) => {
  expect((await get(url)).statusCode).toBe(404);
});

test("an unknown page answers 404 and shows pages with such words", async () => {
  const { statusCode, body } = await get("/guide/getting/quick-startt");
  expect(statusCode).toBe(404);
  expect(body).toContain("There is no such page");
  expect(body).toContain('<a href="/guide/quick-start">');
});

test("images are served, and may run nothing when they are opened alone", async () => {
  const { statusCode, headers } = await get("/guide/drawings/journey.svg");
  expect([statusCode, headers["content-type"]]).toEqual([200, "image/svg+xml"]);
  expect(headers["content-security-policy"]).toBe("default-src 'none'; style-src 'unsafe-inline'");
  expect((await get("/guide/drawings/nothing.svg")).statusCode).toBe(404);
});

test.each([
  "/guide/../package.json",
  "/guide/..%2fpackage.json",
  "/guide/..%2fREADME",
  "/guide/%2e%2e/README",
  "/guide/%2e%2e%2f%2e%2e%2fetc/passwd",
  "/guide//etc/passwd",
  "/guide/..%5cREADME",
  "/guide/drawings/..%2f..%2fapps%2fdashboard%2fpublic%2ficon.svg",
  "/guide/README.md",
  "/guide/quick-start%00",
])("%s reads nothing outside the guides", async (url) => {
  const { statusCode, body } = await get(url);
  expect([400, 404]).toContain(statusCode);
  expect(body).not.toContain("A self-hosted audience data platform");
  expect(body).not.toContain("root:");
});
