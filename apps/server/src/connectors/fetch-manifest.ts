import { Refusal } from "@muster/protocol";
import { findUnusable } from "../domain/entries/unusable-json.js";

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
const MAX_BYTES = 1024 * 1024;
const MAX_NAME_LENGTH = 200;

/**
 * Fetches the manifest of a connector from the connector's address or the manifest's own. The operator trusts the
 * address, so it may be a local one. A redirect is not followed: nobody has said that its target is trusted.
 */
export async function fetchManifest(given: string): Promise<FetchedManifest> {
  const { manifestUrl, sourceUrl } = locate(given);
  const text = await download(manifestUrl);
  return { manifest: parseManifest(text, manifestUrl), manifestUrl, sourceUrl };
}

function locate(given: string): { manifestUrl: string; sourceUrl: string } {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    throw refuse(`"${given.slice(0, 200)}" is not an http or https address.`);
  }
  if (url.username !== "" || url.password !== "") throw refuse("The address must not hold a user name or password.");
  url.hash = "";
  url.search = "";
  const path = url.pathname.replace(/\/+$/, "");
  const folder = path.endsWith(".json") ? path.slice(0, path.lastIndexOf("/")) : path;
  const file = path.endsWith(".json") ? path : `${path}/${MANIFEST_FILE}`;
  return { manifestUrl: url.origin + file, sourceUrl: url.origin + folder };
}

async function download(url: string): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url, {
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: "application/json" },
    });
    if (response.ok) return await readBounded(response, url);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw refuse(`The manifest at ${url} cannot be fetched: ${reasonOf(error)}.`, error);
  }
  await response.body?.cancel();
  const target = response.headers.get("location");
  if (target !== null) throw refuse(`${url} redirects to ${target}: install that address if you trust it.`);
  throw refuse(`The manifest at ${url} cannot be fetched: it answers with status ${response.status}.`);
}

async function readBounded(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw refuse(`The manifest at ${url} is larger than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
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

/** The message of `fetch` is only "fetch failed"; its cause has the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${TIMEOUT_MS / 1_000} seconds`;
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  return cause?.code ?? cause?.message ?? error.message;
}

function refuse(message: string, cause?: unknown): Refusal {
  return new Refusal("invalid_parameter", message, { details: [{ path: "body.url", message }], cause });
}
