import { originOf } from "../domain/connectors/bundled-address.js";
import { OutboundError } from "../outbound/outbound-error.js";
import type { TrustedFetch } from "../outbound/trusted-fetch.js";

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;

/** The readme that a manifest names, as Markdown. Undefined when the connector does not serve it from its own origin. */
export async function fetchReadme(fetch: TrustedFetch, sourceUrl: string, path: string): Promise<string | undefined> {
  const base = `${sourceUrl}/`;
  const url = URL.canParse(path, base) ? new URL(path.replace(/^\/+/, ""), base) : undefined;
  if (!url || originOf(url) !== originOf(new URL(sourceUrl))) return undefined;
  try {
    const answer = await fetch(url.href, {
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      headers: { accept: "text/markdown, text/plain" },
    });
    const text = await answer.text();
    const isPage = answer.headers["content-type"]?.startsWith("text/html") === true;
    return answer.status === 200 && !isPage ? text : undefined;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return undefined;
  }
}
