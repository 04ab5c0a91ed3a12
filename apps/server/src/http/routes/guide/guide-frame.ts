import { createHash } from "node:crypto";
import { escapeHtml } from "../escape-html.js";
import type { GuidePage } from "./guide.js";
import type { GuideGroup } from "./guide-navigation.js";
import { GUIDE_SCRIPT } from "./guide-script.js";
import type { GuideHit } from "./guide-search.js";
import { GUIDE_STYLE } from "./guide-style.js";

/** Nothing from other hosts, and no style or script but the two that every page has. */
export const GUIDE_POLICY = [
  "default-src 'none'",
  `script-src '${hashOf(GUIDE_SCRIPT)}'`,
  `style-src '${hashOf(GUIDE_STYLE)}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** What is around every page: the search, and the list of pages. */
export interface GuideFrame {
  groups: readonly GuideGroup[];
  /** The address of the page. */
  address: string;
  /** What was searched for. */
  words?: string;
}

export function pageHtml(page: GuidePage, groups: readonly GuideGroup[]): string {
  const { previous, next, title, html, address } = page;
  const turn = [
    previous
      ? `<a rel="prev" href="${escapeHtml(previous.address)}">← ${escapeHtml(previous.title)}</a>`
      : "<span></span>",
    next ? `<a rel="next" href="${escapeHtml(next.address)}">${escapeHtml(next.title)} →</a>` : "",
  ];
  const isAlone = previous === undefined && next === undefined;
  const footer = isAlone ? "" : `<nav class="turn" aria-label="Neighbouring pages">${turn.join("")}</nav>`;
  return frameHtml(title, `${html}${footer}`, { groups, address });
}

export function searchHtml(words: string, hits: readonly GuideHit[], groups: readonly GuideGroup[]): string {
  const title = words === "" ? "Search the guides" : `Search: ${words}`;
  const content = words === "" ? "<p>Type words above.</p>" : hitList(hits);
  return frameHtml(title, `<h1>${escapeHtml(title)}</h1>${content}`, { groups, address: "/guide/search", words });
}

export function missingHtml(words: string, hits: readonly GuideHit[], groups: readonly GuideGroup[]): string {
  const found = hits.length === 0 ? "" : `<p>These pages may be what you look for:</p>${hitList(hits)}`;
  const content = `<h1>There is no such page</h1>${found}<p><a href="/guide">All pages</a></p>`;
  return frameHtml("There is no such page", content, { groups, address: "", words });
}

function hitList(hits: readonly GuideHit[]): string {
  if (hits.length === 0) return "<p>No page has these words.</p>";
  const rows = hits.map(({ address, page, section, passage, words }) => {
    const title = section === "" ? page : `${page}: ${section}`;
    return `<li><a href="${escapeHtml(address)}">${escapeHtml(title)}</a><p>${marked(passage, words)}</p></li>`;
  });
  return `<ul class="hits">${rows.join("\n")}</ul>`;
}

/** The passage with the words that fit marked. */
function marked(passage: string, words: readonly string[]): string {
  const longestFirst = words.toSorted((one, other) => other.length - one.length);
  const pattern = longestFirst.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  if (pattern === "") return escapeHtml(passage);
  return passage
    .split(new RegExp(`(${pattern})`, "gi"))
    .map((part, index) => (index % 2 === 1 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part)))
    .join("");
}

function frameHtml(title: string, content: string, { groups, address, words = "" }: GuideFrame): string {
  const pages = groups.map(({ title: heading, entries }) => {
    const items = entries.map((entry) => {
      const current = entry.address === address ? ' aria-current="page"' : "";
      return `<li><a href="${escapeHtml(entry.address)}"${current}>${escapeHtml(entry.title)}</a></li>`;
    });
    return `<h2>${escapeHtml(heading)}</h2><ul>${items.join("")}</ul>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Muster guide</title>
<link rel="icon" href="/icon.svg">
<style>${GUIDE_STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the page</a>
<header class="top">
<a class="name" href="/guide"><img src="/icon.svg" alt="">Muster guide</a>
<form action="/guide/search" role="search"><input type="search" name="q" value="${escapeHtml(words)}" maxlength="200" aria-label="Search the guides" placeholder="Search the guides"><button>Search</button></form>
<a href="/docs">API reference</a>
<a href="/">Dashboard</a>
</header>
<div class="frame">
<nav class="pages" aria-label="Pages"><details open><summary>All pages</summary>${pages.join("\n")}</details></nav>
<main id="content">
${content}
</main>
</div>
<script type="module">${GUIDE_SCRIPT}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
