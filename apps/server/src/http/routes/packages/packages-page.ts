import { createHash } from "node:crypto";
import type { ServedPackage } from "@muster/protocol/api/packages";
import { escapeHtml } from "../escape-html.js";

/** What each package is for, with the guide to it. */
const PURPOSES: Record<string, { purpose: string; guide: string }> = {
  "@muster/client": { purpose: "sends records from a Node server, and calls the API", guide: "/guide/client" },
  "@muster/connector": { purpose: "the library for connectors", guide: "/guide/connectors/writing" },
  "@muster/browser": { purpose: "the browser library, for sites that have a bundler", guide: "/guide/browser" },
  "@muster/cli": { purpose: "the muster command", guide: "/guide/cli" },
};

/** A page without scripts: how to install each package. */
export function packagesPage(packages: readonly ServedPackage[]): string {
  const items = packages.map(({ name, bytes, integrity, install }) => {
    const { purpose = "", guide = "/guide" } = PURPOSES[name] ?? {};
    return `<section>
<h2>${escapeHtml(name)}</h2>
<p>${escapeHtml(purpose)} · <a href="${escapeHtml(guide)}">guide</a></p>
<pre>${escapeHtml(install)}</pre>
<p class="note">${Math.ceil(bytes / 1_000)} kB, <code>${escapeHtml(integrity)}</code></p>
</section>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Packages · Muster</title>
<link rel="icon" href="/icon.svg">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Packages</h1>
<p>npm installs the libraries and the command from this server, in its version, ${escapeHtml(packages[0]?.version ?? "")}. They
are in no registry.</p>
${items.join("\n")}
<p class="note">After an upgrade of the server, install them again: lock files contain the checksum of the version.</p>
</main>
</body>
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark; --back: #f6f7f9; --card: #fff; --text: #1b1f24; --soft: #57606a; --line: #d8dee4; --link: #0b57d0 }
@media (prefers-color-scheme: dark) {
  :root { --back: #0f1216; --card: #181c22; --text: #e6e9ed; --soft: #a2abb5; --line: #343b44; --link: #8ab4f8 }
}
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 46rem; margin: 6vh auto 2rem; padding: 0 1.25rem }
h1 { margin: 0 0 .25rem; font-size: 1.75rem; line-height: 1.25 }
h2 { margin: 0; font-size: 1.125rem }
section { margin: 1rem 0; padding: 1rem 1.1rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px }
section p { margin: .25rem 0 }
pre { margin: .75rem 0; padding: .6rem .75rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--back); border-radius: 6px }
pre, code { font: .875rem/1.5 ui-monospace, monospace }
.note { color: var(--soft); font-size: .875rem; overflow-wrap: anywhere }
a { color: var(--link) }
`;

/** Nothing but the style of the page. */
export const PACKAGES_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
