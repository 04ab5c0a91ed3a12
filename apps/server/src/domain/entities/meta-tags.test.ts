import { expect, test } from "vitest";
import { MetaTagReader } from "./meta-tags.js";

const PAGE = "https://shop.example/a/b";

function read(...pieces: string[]) {
  const reader = new MetaTagReader();
  for (const piece of pieces) if (!reader.write(piece)) break;
  return reader.result(PAGE);
}

test("Open Graph tags are preferred to Twitter tags, and Twitter tags to plain ones", () => {
  const plain = `<title>plain</title><meta name="description" content="plain">`;
  const twitter = `<meta name="twitter:title" content="twitter"><meta name="twitter:description" content="twitter">`;
  expect(read(plain)).toEqual({ title: "plain", description: "plain" });
  expect(read(plain, twitter)).toEqual({ title: "twitter", description: "twitter" });
  expect(read(plain, twitter, `<meta property="og:title" content="graph">`)).toMatchObject({ title: "graph" });
});

test("of several tags with the same name the first is used", () => {
  expect(read(`<meta property="og:image" content="1.png"><meta property="og:image" content="2.png">`)).toEqual({
    image: "https://shop.example/a/1.png",
  });
});

test("a page may be read in pieces that are cut anywhere", () => {
  const html = `<head><title>A &amp; B</title><meta property="og:site_name" content="Shop &#39;n&#39; go"></head>`;
  for (let cut = 0; cut <= html.length; cut++) {
    expect(read(html.slice(0, cut), html.slice(cut))).toEqual({ title: "A & B", site_name: "Shop 'n' go" });
  }
});

test("addresses that are not http or https are left out", () => {
  expect(read(`<meta property="og:image" content="javascript:alert(1)"><link rel="canonical" href="data:,x">`)).toEqual(
    {},
  );
  expect(read(`<meta property="og:image" content="//cdn.example/i.png"><link rel=canonical href="/x">`)).toEqual({
    image: "https://cdn.example/i.png",
    url: "https://shop.example/x",
  });
});

test("tags after the head are ignored", () => {
  expect(read("<head></head>", `<meta property="og:title" content="late">`)).toEqual({});
  expect(read("<p>", "<body>", `<meta property="og:title" content="late">`)).toEqual({});
});

test("characters that cannot be stored are removed, and long values are cut", () => {
  expect(read(`<meta property="og:title" content="a\0b">`).title).not.toContain("\0");
  expect(read(`<title>${"x".repeat(5_000)}</title>`).title).toHaveLength(2_000);
});
