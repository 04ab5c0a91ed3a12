import { randomBytes } from "node:crypto";
import type { Platform } from "../../../domain/platforms/platform.js";

export interface RemotePage {
  /** The address of the old library's script. */
  script: string;
  brandWord: string;
  config: object;
}

/** The page in the hidden frame of the old library: it loads the library again and hands it its configuration. */
export function remotePage({ script, brandWord, config }: RemotePage): { html: string; nonce: string } {
  const nonce = randomBytes(16).toString("base64url");
  const html = `<!doctype html>
<html>
<head><meta charset="utf-8"><title>${brandWord}</title></head>
<body>
<script nonce="${nonce}" src="${escapeAttribute(script)}"></script>
<script nonce="${nonce}">window.${brandWord}.initRemote(${printForScript(config)});</script>
</body>
</html>
`;
  return { html, nonce };
}

/** The policy of the page: its own two scripts, calls to this server, and frames in pages of the platform only. */
export function remotePolicy(platform: Pick<Platform, "domains">, nonce: string): string {
  const ancestors = platform.domains
    .map((domain) => (hasPort(domain) ? domain : `${domain}:*`))
    .flatMap((host) => [`http://${host}`, `https://${host}`]);
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
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
function printForScript(value: object): string {
  return JSON.stringify(value).replaceAll(/[<\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
