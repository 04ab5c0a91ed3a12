import MiniSearch, { type SearchResult } from "minisearch";
import type { RenderedPage } from "./guide-markdown.js";

export interface GuideHit {
  address: string;
  page: string;
  /** Empty when the beginning of the page fits. */
  section: string;
  /** A part of the text around the first word that fits. */
  passage: string;
  /** The words of the text that fit. */
  words: string[];
}

interface Passage {
  id: string;
  page: string;
  section: string;
  text: string;
}

const LIMIT = 30;
const BEFORE = 80;
const LENGTH = 240;
const OPTIONS = {
  prefix: true,
  // Short words with one letter changed are other words.
  fuzzy: (word: string) => (word.length > 5 ? 0.15 : false),
  boost: { section: 4, page: 3 },
};

/** Finds sections of the guides by words, their beginnings, and words with a typing error. */
export class GuideSearch {
  readonly #index = new MiniSearch<Passage>({
    fields: ["page", "section", "text"],
    storeFields: ["page", "section", "text"],
    // Names such as external_id and user:update are found whole, and by their parts.
    tokenize: (text) => {
      const words = text.split(/[\s\p{P}\p{S}]+/u);
      return [...words, ...(text.match(/[\p{L}\p{N}]+(?:[_:./-][\p{L}\p{N}]+)+/gu) ?? [])].filter(
        (word) => word !== "",
      );
    },
  });

  add(address: string, { title, sections }: RenderedPage): void {
    for (const { anchor, title: heading, text } of sections) {
      const id = anchor === "" ? address : `${address}#${anchor}`;
      this.#index.add({ id, page: title, section: anchor === "" ? "" : heading, text });
    }
  }

  /** The sections with all words. When there are none, those with any of them. */
  find(words: string): GuideHit[] {
    const withAll = this.#index.search(words, { ...OPTIONS, combineWith: "AND" });
    const results = withAll.length > 0 ? withAll : this.#index.search(words, OPTIONS);
    return results.slice(0, LIMIT).map(hitOf);
  }
}

function hitOf({ id, terms, ...stored }: SearchResult): GuideHit {
  // These are the stored fields.
  const { page, section, text } = stored as unknown as Passage;
  const flat = text.replace(/\s+/g, " ").trim();
  const lower = flat.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const start = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - BEFORE);
  const from = start === 0 ? 0 : lower.indexOf(" ", start) + 1;
  const to = from + LENGTH < flat.length ? flat.lastIndexOf(" ", from + LENGTH) : flat.length;
  const passage = `${from > 0 ? "… " : ""}${flat.slice(from, to)}${to < flat.length ? " …" : ""}`;
  return { address: String(id), page, section, passage, words: terms };
}
