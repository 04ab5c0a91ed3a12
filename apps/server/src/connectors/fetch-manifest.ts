import { Refusal } from "@muster/protocol";
import {
  bundledNameOf,
  bundledUrl,
  isBundledUrl,
  isOwnName,
  originOf,
  SHIPPED_NAMES,
} from "../domain/connectors/bundled-address.js";
import { findUnusable } from "../domain/entries/unusable-json.js";
import type { OutboundAnswer, OutboundRequest } from "../outbound/exchange.js";
import { OutboundError } from "../outbound/outbound-error.js";

/** Requests to addresses that the operator trusts. Redirects are not followed. */
type Fetch = (url: string, request: OutboundRequest) => Promise<OutboundAnswer>;

export interface FetchedManifest {
  manifest: GivenManifest;
  manifestUrl: string;
  /** The address that the paths of the connector start from: that of the manifest without the file name. */
  sourceUrl: string;
}

/** A manifest as its author wrote it. Only the name is checked. */
export interface GivenManifest extends Record<string, unknown> {
  name: string;
}

const MANIFEST_FILE = "manifest.json";
const TIMEOUT_MS = 10_000;
/** The process of the bundled connectors may have to start first, which takes seconds on a busy machine. */
const BUNDLED_TIMEOUT_MS = 60_000;
const MAX_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 3;
const MAX_NAME_LENGTH = 200;
const NAMES = SHIPPED_NAMES.join(", ");

/**
 * Fetches the manifest of a connector from the connector's address or the manifest's own, or by the name of a connector that
 * comes with Muster. The operator trusts the address, so it may be a local one. A redirect to another origin is not followed,
 * because the operator has not trusted that origin.
 */
export async function fetchManifest(fetch: Fetch, given: string, timeoutMs?: number): Promise<FetchedManifest> {
  const { manifestUrl, sourceUrl } = locate(given);
  const longest = isBundledUrl(new URL(manifestUrl)) ? BUNDLED_TIMEOUT_MS : TIMEOUT_MS;
  const text = await download(fetch, manifestUrl, timeoutMs ?? longest);
  return { manifest: parseManifest(text, manifestUrl), manifestUrl, sourceUrl };
}

function locate(given: string): { manifestUrl: string; sourceUrl: string } {
  const address = isOwnName(given) ? bundledUrl(given) : given;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url ? /^[\w-]+$/.test(given) : isBundledUrl(url) && !bundledNameOf(url)) {
    throw refuse(`No connector "${(url?.host ?? given).slice(0, 200)}" comes with Muster. These do: ${NAMES}.`);
  }
  if (!url || !(["http:", "https:"].includes(url.protocol) || isBundledUrl(url))) {
    throw refuse(`"${given.slice(0, 200)}" is not an http or https address, nor one of ${NAMES}.`);
  }
  if (url.username !== "" || url.password !== "") throw refuse("The address must not hold a user name or password.");
  url.hash = "";
  url.search = "";
  const path = url.pathname.replace(/\/+$/, "");
  const folder = path.endsWith(".json") ? path.slice(0, path.lastIndexOf("/")) : path;
  const file = path.endsWith(".json") ? path : `${path}/${MANIFEST_FILE}`;
  return { manifestUrl: originOf(url) + file, sourceUrl: originOf(url) + folder };
}

async function download(fetch: Fetch, url: string, timeoutMs: number): Promise<string> {
  const endsAt = performance.now() + timeoutMs;
  let from = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const request = { timeoutMs: Math.max(1, endsAt - performance.now()), maxBytes: MAX_BYTES };
    const answer = await attempt(url, timeoutMs, () => {
      return fetch(from, { ...request, headers: { accept: "application/json" } });
    });
    if (answer.status >= 200 && answer.status < 300) return attempt(url, timeoutMs, () => answer.text());
    answer.body.destroy();
    const { location } = answer.headers;
    if (location === undefined) {
      throw refuse(`The manifest at ${url} cannot be fetched: it answers with status ${answer.status}.`);
    }
    const target = URL.canParse(location, from) ? new URL(location, from) : undefined;
    if (!target || originOf(target) !== originOf(new URL(url))) {
      throw refuse(`${from} redirects to ${location.slice(0, 200)}: install that address if you trust it.`);
    }
    from = target.href;
  }
  throw refuse(`The manifest at ${url} cannot be fetched: it redirects more than ${MAX_REDIRECTS} times.`);
}

async function attempt<Result>(url: string, timeoutMs: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.problem === "too_large") throw refuse(`The manifest at ${url} is larger than ${MAX_BYTES} bytes.`, error);
    throw refuse(`The manifest at ${url} cannot be fetched: ${reasonOf(error, timeoutMs)}.`, error);
  }
}

function parseManifest(text: string, url: string): GivenManifest {
  let value: unknown;
  try {
    // Some editors write a byte order mark first, which is not JSON.
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw refuse(`The manifest at ${url} is not JSON: ${(cause as Error).message}`, cause);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw refuse(`The manifest at ${url} is not a JSON object.`);
  }
  const problem = findUnusable(value);
  if (problem) throw refuse(`The manifest at ${url} cannot be used. ${problem}`);
  const { name } = value as Record<string, unknown>;
  if (typeof name !== "string" || name.trim() === "" || name.length > MAX_NAME_LENGTH) {
    throw refuse(`The manifest at ${url} has no usable \`name\`: give a string of 1 to ${MAX_NAME_LENGTH} characters.`);
  }
  return { ...value, name };
}

function reasonOf({ problem, message, cause }: OutboundError, timeoutMs: number): string {
  if (problem === "timeout") return `no answer within ${timeoutMs / 1_000} seconds`;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
}

function refuse(message: string, cause?: unknown): Refusal {
  return new Refusal("invalid_parameter", message, { details: [{ path: "body.url", message }], cause });
}
