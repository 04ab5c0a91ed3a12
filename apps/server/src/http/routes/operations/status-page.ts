import { createHash } from "node:crypto";
import type { PartState, ServerStatus, ServerStatuses } from "../../../upkeep/server-status.js";
import type { App } from "../../app-type.js";

/** `/status`: a page without scripts that says to anybody whether the server works. Details are in the dashboard. */
export function statusPageRoutes(app: App, { statuses }: { statuses: ServerStatuses }): void {
  app.get("/status", { config: { access: "open" }, schema: { hide: true } }, async (_request, reply) => {
    const status = await statuses.read();
    return reply
      .status(status.state === "stopped" ? 503 : 200)
      .type("text/html; charset=utf-8")
      .header("cache-control", "no-store")
      .header("refresh", "30")
      .header("content-security-policy", CONTENT_SECURITY_POLICY)
      .send(statusPage(status));
  });
}

const HEADLINES: Record<PartState, string> = {
  works: "Everything works",
  late: "Some work is late",
  stopped: "Something does not work",
};
const EXPLANATIONS: Record<PartState, string> = {
  works: "Records are received, applied and searchable.",
  late: "Records are received and nothing is lost. Some of it becomes visible later than usual.",
  stopped: "Records that were accepted are not lost. Work goes on by itself when the cause is gone.",
};
const WORDS: Record<PartState, string> = { works: "works", late: "late", stopped: "does not work" };

function statusPage({ state, parts, at }: ServerStatus): string {
  const rows = parts.map(
    ({ name, state: each }) => `<li class="${each}"><span>${name}</span><strong>${WORDS[each]}</strong></li>`,
  );
  const time = at.toISOString();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${HEADLINES[state]} · Muster</title>
<link rel="icon" href="/icon.svg">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1 class="${state}">${HEADLINES[state]}</h1>
<p>${EXPLANATIONS[state]}</p>
<ul>
${rows.join("\n")}
</ul>
<p class="note">Checked at <time datetime="${time}">${time.slice(0, 10)} ${time.slice(11, 19)} UTC</time>. This page loads
itself again every 30 seconds. Members see details in the <a href="/">dashboard</a>.</p>
</main>
</body>
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark; --back: #f6f7f9; --card: #fff; --text: #1b1f24; --soft: #57606a; --line: #d8dee4;
  --works: #116329; --late: #7d4e00; --stopped: #a40e26; --link: #0b57d0 }
@media (prefers-color-scheme: dark) {
  :root { --back: #0f1216; --card: #181c22; --text: #e6e9ed; --soft: #a2abb5; --line: #343b44;
    --works: #5fd07f; --late: #e8b04b; --stopped: #ff8a80; --link: #8ab4f8 }
}
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 36rem; margin: 10vh auto 2rem; padding: 0 1.25rem }
h1 { margin: 0 0 .25rem; font-size: 1.75rem; line-height: 1.25 }
ul { margin: 1.5rem 0; padding: 0; list-style: none; background: var(--card); border: 1px solid var(--line);
  border-radius: 10px }
li { display: flex; justify-content: space-between; gap: 1rem; padding: .85rem 1.1rem }
li + li { border-top: 1px solid var(--line) }
strong { flex: none; font-weight: 600 }
strong::before { content: "● " }
li.works strong { color: var(--works) } li.late strong { color: var(--late) } li.stopped strong { color: var(--stopped) }
h1.late { color: var(--late) } h1.stopped { color: var(--stopped) }
.note { color: var(--soft); font-size: .875rem }
a { color: var(--link) }
`;

/** Nothing but the style of this page, by its hash, and the icon. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
