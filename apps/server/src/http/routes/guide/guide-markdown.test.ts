import { describe, expect, test } from "vitest";
import { SpareTime } from "../../../runtime/loops/spare-time.js";
import { renderMarkdown, resolveLink } from "./guide-markdown.js";

const render = (path: string, source: string) => renderMarkdown(path, source, new SpareTime(1));

describe("links", () => {
  test.each([
    ["quick-start", "concepts.md", "/guide/concepts"],
    ["quick-start", "concepts.md#words", "/guide/concepts#words"],
    ["connectors/using", "../manifest.md", "/guide/manifest"],
    ["connectors/using", "writing.md", "/guide/connectors/writing"],
    ["concepts", "drawings/journey.svg", "/guide/drawings/journey.svg"],
    ["decisions/README", "0001-two-engines.md", "/guide/decisions/0001-two-engines"],
    ["quick-start", "README.md", "/guide"],
    ["quick-start", "decisions/README.md", "/guide/decisions"],
    ["quick-start", "#next", "#next"],
    ["quick-start", "https://example.com/a.md", "https://example.com/a.md"],
    ["quick-start", "../SECURITY.md", undefined],
  ])("of %s to %s lead to %s", (path, href, address) => {
    expect(resolveLink(path, href)).toBe(address);
  });

  test("to files outside the guides become their text, with the file in the title", async () => {
    const { html } = await render("connectors/using", "[the policy](../../SECURITY.md), [more](writing.md)");
    expect(html).toBe(
      '<p><span title="SECURITY.md, in the repository">the policy</span>, <a href="/guide/connectors/writing">more</a></p>\n',
    );
  });
});

test("a long name in code may break where a word of it ends", async () => {
  const { html } = await render("x", "`api,gateway` `MAX_VALUE_BYTES` of `a < b.c`\n");
  expect(html).toBe(
    "<p><code>api,<wbr>gateway</code> <code>MAX_<wbr>VALUE_<wbr>BYTES</code> of <code>a &lt; b.<wbr>c</code></p>\n",
  );
});

test("headings have the anchors that code hosts give them, each once", async () => {
  const { html, title, sections } = await render("x", "# A `page`\n\none\n\n## What's new?\n\ntwo\n\n## What's new?\n");
  expect(title).toBe("A page");
  expect(html).toContain('<h2 id="whats-new">');
  expect(html).toContain('<h2 id="whats-new-1">');
  expect(sections).toEqual([
    { anchor: "", title: "A page", text: "one " },
    { anchor: "whats-new", title: "What's new?", text: "two " },
    { anchor: "whats-new-1", title: "What's new?", text: "" },
  ]);
});

test("blocks show their file name or that they are output, and names for tests are not shown", async () => {
  const page = "<!-- block: a -->\n```sh\necho <b>\n```\n\n```text\n<b>\n```\n\n```js send.js\n1\n```\n";
  expect((await render("x", page)).html.replaceAll("\n", "")).toBe(
    '<figure class="code"><pre tabindex="0"><code>echo &lt;b&gt;</code></pre></figure>' +
      '<figure class="code output"><figcaption>prints</figcaption><pre tabindex="0"><code>&lt;b&gt;</code></pre></figure>' +
      '<figure class="code"><figcaption>send.js</figcaption><pre tabindex="0"><code>1</code></pre></figure>',
  );
});

test("a heading in a block of code begins no section, and sections after it are still found", async () => {
  const source =
    "# Page\n\n````md\n## Not this\n```sh\n### Nor this\n```\n````\n\n## This\n\n```sh\n## a comment\n```\n\n## This\n";
  const { html, sections } = await render("x", source);
  expect(sections.map(({ anchor }) => anchor)).toEqual(["", "this", "this-1"]);
  expect(html).toContain("<code>## Not this\n```sh\n### Nor this\n```\n</code>");
});
