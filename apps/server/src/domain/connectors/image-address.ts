import { isObject } from "@muster/protocol";

/** Where a connector runs, and the texts of its author that may name images. */
export interface ImageTexts {
  sourceUrl: string;
  manifest: unknown;
  /** The path of the readme, and its text. */
  readme: { path: string; text: string } | undefined;
}

/** The address of an image that the manifest or the readme names. Undefined when neither names it, or it is no address. */
export function namedImage(src: string, { sourceUrl, manifest, readme }: ImageTexts): URL | undefined {
  if (isInManifest(manifest, src)) return imageAddress(src, sourceUrl);
  if (!readme || !isInMarkdown(readme.text, src)) return undefined;
  return imageAddress(src, sourceUrl, readme.path);
}

/**
 * The address of an image of a connector. A path that begins with a slash is below the connector's root, others are
 * relative to the file that names them.
 */
export function imageAddress(src: string, sourceUrl: string, file = ""): URL | undefined {
  const root = `${sourceUrl}/`;
  const isPath = src.startsWith("/") && !src.startsWith("//");
  const base = isPath ? root : new URL(file.replace(/^\/+/, ""), root).href;
  const given = isPath ? src.replace(/^\/+/, "") : src;
  const url = URL.canParse(given, base) ? new URL(given, base) : undefined;
  return url && (url.protocol === "http:" || url.protocol === "https:") ? url : undefined;
}

/** Whether an address is the picture or the logo, or is an image in any description. */
function isInManifest(manifest: unknown, src: string): boolean {
  if (!isObject(manifest)) return false;
  if (manifest.picture === src || manifest.logo === src) return true;
  const unread: unknown[] = [manifest];
  for (let next = unread.pop(); next !== undefined; next = unread.pop()) {
    if (typeof next === "string" && isInMarkdown(next, src)) return true;
    if (typeof next === "object" && next !== null) unread.push(...Object.values(next));
  }
  return false;
}

/** Whether a text in Markdown has this address where addresses are: `![](src)`, `![](<src>)`, `[name]: src`. */
function isInMarkdown(text: string, src: string): boolean {
  return [src, decoded(src)].some((given) => ["(", "(<", ": ", ":"].some((before) => text.includes(before + given)));
}

/** Readers of Markdown escape spaces and other characters in addresses. */
function decoded(src: string): string {
  try {
    return decodeURI(src);
  } catch {
    return src;
  }
}
