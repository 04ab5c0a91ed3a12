import { Parser } from "htmlparser2";
import type { MetaTags } from "./entity-record.js";

const MAX_LENGTH = 2_000;

/** The tags that each value is read from, the preferred one first, by their `property`, `name` or `itemprop`. */
const PLACES: Record<keyof MetaTags, readonly string[]> = {
  title: ["og:title", "twitter:title", "title"],
  description: ["og:description", "twitter:description", "description"],
  image: ["og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src", "image"],
  site_name: ["og:site_name", "application-name"],
  type: ["og:type"],
  url: ["og:url", "canonical"],
};

const ADDRESSES: ReadonlySet<string> = new Set<keyof MetaTags>(["image", "url"]);

/** Reads the meta tags of a page piece by piece, and says when the rest of the page is not needed. */
export class MetaTagReader {
  readonly #found = new Map<string, string>();
  readonly #parser: Parser;
  #isInTitle = false;
  #isDone = false;

  constructor() {
    this.#parser = new Parser({
      onopentag: (name, attributes) => this.#open(name, attributes),
      ontext: (text) => {
        if (this.#isInTitle) this.#note("title", (this.#found.get("title") ?? "") + text);
      },
      onclosetag: (name) => {
        if (name === "title") this.#isInTitle = false;
        if (name === "head") this.#isDone = true;
      },
    });
  }

  /** Reads the next piece of the page; returns false once the head of the page has ended. */
  write(html: string): boolean {
    this.#parser.write(html);
    return !this.#isDone;
  }

  /** The meta tags found so far; relative addresses are made absolute. */
  result(pageUrl: string): MetaTags {
    const tags: MetaTags = {};
    for (const [name, places] of Object.entries(PLACES)) {
      const text = places.map((place) => this.#found.get(place)?.trim()).find((found) => found);
      const value = text && (ADDRESSES.has(name) ? absolute(text, pageUrl) : clean(text));
      // PLACES has the keys of MetaTags.
      if (value) tags[name as keyof MetaTags] = value;
    }
    return tags;
  }

  #open(name: string, attributes: Record<string, string>): void {
    if (name === "body") this.#isDone = true;
    if (name === "title") this.#isInTitle = !this.#found.has("title");
    if (name === "link" && attributes.rel?.toLowerCase() === "canonical") this.#note("canonical", attributes.href);
    if (name !== "meta") return;
    const key = attributes.property ?? attributes.name ?? attributes.itemprop;
    const isNew = key !== undefined && !this.#found.has(key.toLowerCase());
    if (isNew) this.#note(key.toLowerCase(), attributes.content);
  }

  #note(key: string, value: string | undefined): void {
    if (value) this.#found.set(key, value.slice(0, MAX_LENGTH));
  }
}

function absolute(address: string, pageUrl: string): string | undefined {
  const url = URL.canParse(address, pageUrl) ? new URL(address, pageUrl) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/** Removes characters that PostgreSQL cannot store. */
function clean(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}
