import MiniSearch, { type SearchResult } from "minisearch";
import type { SpareTime } from "../../../runtime/loops/spare-time.js";
import type { RenderedPage } from "./guide-markdown.js";

export interface GuideHit {
  address: string;
  page: string;
  /** Empty when the beginning of the page fits. */
  section: string;
  /** A part of the text around the first word that fits. */
  passage: string;
  /** The words of the text that fit, at most `MAX_MARKED`. */
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
const MAX_MARKED = 20;
// Anybody may search, and the work grows with the words: 40 words of one letter held the event loop for 0.6 s.
const MAX_WORDS = 8;
const MAX_WORD_LENGTH = 40;
const OPTIONS = {
  tokenize: (text: string) =>
    [...new Set(wordsOf(text).map((word) => word.slice(0, MAX_WORD_LENGTH)))].slice(0, MAX_WORDS),
  // A word of one or two letters is the beginning of hundreds of words.
  prefix: (word: string) => word.length > 2,
  // Short words with one letter changed are other words.
  fuzzy: (word: string) => (word.length > 5 ? 0.15 : false),
  maxFuzzy: 2,
  boost: { section: 4, page: 3 },
};

/** Finds sections of the guides by words, their beginnings, and words with a typing error. */
export class GuideSearch {
  readonly #index = new MiniSearch<Passage>({
    fields: ["page", "section", "text"],
    storeFields: ["page", "section", "text"],
    tokenize: wordsOf,
  });

  async add(address: string, { title, sections }: RenderedPage, spare: SpareTime): Promise<void> {
    for (const { anchor, title: heading, text } of sections) {
      if (spare.isPauseDue) await spare.pause();
      const id = anchor === "" ? address : `${address}#${anchor}`;
      this.#index.add({ id, page: title, section: anchor === "" ? "" : heading, text });
    }
  }

  /** The sections with all words. When there are none, those with any of them. */
  find(words: string): GuideHit[] {
    const withAll = this.#index.search(words, { ...OPTIONS, combineWith: "AND" });
    const results = withAll.length > 0 ? withAll : this.#index.search(words, OPTIONS);
    return inOrder(results, OPTIONS.tokenize(words.toLowerCase())).slice(0, LIMIT).map(hitOf);
  }
}

/**
 * First the pages whose title has all words, the shortest title first, because it is about nothing else. Then the sections
 * whose heading has them, and after these the sections whose text has them, both in the order of the index.
 */
function inOrder(results: readonly SearchResult[], words: readonly string[]): SearchResult[] {
  // Results have the stored fields.
  const ranked = results.map((result) => ({ result, rank: rankOf(result as unknown as Passage, words) }));
  return ranked.sort((one, other) => one.rank - other.rank).map(({ result }) => result);
}

const HEADING_RANK = 1_000;
const TEXT_RANK = 1_001;

function rankOf({ page, section }: Passage, words: readonly string[]): number {
  const heading = wordsOf((section === "" ? page : section).toLowerCase());
  const isInHeading = words.every((word) => heading.some((each) => each.startsWith(word)));
  if (!isInHeading) return TEXT_RANK;
  return section === "" ? heading.length : HEADING_RANK;
}

/** Names such as external_id and user:update are found whole, and by their parts. */
function wordsOf(text: string): string[] {
  const words = text.split(/[\s\p{P}\p{S}]+/u);
  const names = text.match(/[\p{L}\p{N}]+(?:[_:./-][\p{L}\p{N}]+)+/gu) ?? [];
  return [...words, ...names].filter((word) => word !== "");
}

function hitOf({ id, terms: allTerms, ...stored }: SearchResult): GuideHit {
  const terms = allTerms.slice(0, MAX_MARKED);
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
