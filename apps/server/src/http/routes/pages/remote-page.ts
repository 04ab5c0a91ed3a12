import { randomBytes } from "node:crypto";
import type { Platform } from "../../../domain/platforms/platform.js";
import { escapeHtml } from "../escape-html.js";

export interface RemotePage {
  /** The address of the old library's script. */
  script: string;
  brandWord: string;
  config: object;
}

export interface RemotePolicy {
  platform: Pick<Platform, "id" | "domains">;
  /** The host of this server that the page is loaded from. */
  host: string;
  nonce: string;
}

/** The page in the hidden frame of the old library: it loads the library again and hands it its configuration. */
export function remotePage({ script, brandWord, config }: RemotePage): { html: string; nonce: string } {
  const nonce = randomBytes(16).toString("base64url");
  const html = `<!doctype html>
<html>
<head><meta charset="utf-8"><title>${brandWord}</title></head>
<body>
<script nonce="${nonce}" src="${escapeHtml(script)}"></script>
<script nonce="${nonce}">window.${brandWord}.initRemote(${serialiseForScript(config)});</script>
</body>
</html>
`;
  return { html, nonce };
}

/** What the old library calls. A path with a slash at its end stands for all below it. */
const CALLED = [
  ...["t", "me", "me/", "users/login", "logout", "app", "app/"],
  // Answered with the reason why it is not possible.
  ...["users", "users/request_password_reset", "users/request_confirmation_email"],
];

/**
 * The policy of the page: its own two scripts, the calls of the library, and frames in pages of the platform only. A
 * script of a website runs here at the origin of the dashboard, where members are signed in. So it reaches no other path,
 * and no other window of the origin: the sandbox lets it open none.
 */
export function remotePolicy({ platform, host, nonce }: RemotePolicy): string {
  const ancestors = platform.domains
    .map((domain) => (hasPort(domain) ? domain : `${domain}:*`))
    .flatMap((host) => [`http://${host}`, `https://${host}`]);
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `connect-src ${[...CALLED, platform.id, `${platform.id}/`].map((path) => `${host}/api/v1/${path}`).join(" ")}`,
    "sandbox allow-scripts allow-same-origin",
    "base-uri 'none'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(" ")}`,
  ].join("; ");
}

/** Regular expressions for the origins of pages that may use a platform, in the form that the old library tests. */
export function domainPatterns({ domains }: Pick<Platform, "domains">): string[] {
  return domains.map((domain) => {
    const [start, name] = domain.startsWith("*.") ? ["([^/]+\\.)", domain.slice(2)] : ["", domain];
    return `^https?://${start}${name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}${hasPort(domain) ? "" : "(:\\d+)?"}$`;
  });
}

/** Without a port, a domain stands for its pages on every port. */
function hasPort(domain: string): boolean {
  return /:\d+$/.test(domain);
}

/** JSON inside a script: `</script>` in a text would end the script, and two separators were line ends once. */
function serialiseForScript(value: object): string {
  return JSON.stringify(value).replaceAll(/[<\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
