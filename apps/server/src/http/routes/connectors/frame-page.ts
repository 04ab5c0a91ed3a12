import { randomBytes } from "node:crypto";
import { escapeHtml } from "../escape-html.js";

/** What the page of a connector may do: not leave its frame, and not reach the dashboard. */
const ALLOWED = "allow-scripts allow-forms allow-popups allow-downloads";

/**
 * A page with the page of a connector in a sandboxed frame. Its policy allows frames of that origin alone, which the
 * policy of the dashboard could not: the dashboard is loaded before a connector is chosen. It passes messages between
 * the dashboard and the connector's page, in both directions.
 *
 * A connector keeps its own origin in the sandbox, because its page could not call the connector without one. When the
 * connector is at the origin of this server it gets none: it would be able to reach the dashboard.
 */
export function framePage(url: URL, ownOrigins: readonly string[]): { html: string; policy: string } {
  const nonce = randomBytes(16).toString("base64url");
  const sandbox = ownOrigins.includes(url.origin) ? ALLOWED : `${ALLOWED} allow-same-origin`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Page of a connector</title>
<style nonce="${nonce}">html, body, iframe { border: 0; display: block; height: 100%; margin: 0; width: 100%; }</style>
</head>
<body>
<iframe title="Page of the connector" sandbox="${sandbox}" referrerpolicy="no-referrer" src="${escapeHtml(url.href)}"></iframe>
<script nonce="${nonce}">
const frame = document.querySelector("iframe");
addEventListener("message", ({ source, data }) => {
  if (source === frame.contentWindow) parent.postMessage({ from: "connector-page", data }, location.origin);
  else if (source === parent) frame.contentWindow.postMessage(data, "*");
});
</script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `frame-src ${url.origin}`,
    "frame-ancestors 'self'",
    "base-uri 'none'",
  ].join("; ");
  return { html, policy };
}
