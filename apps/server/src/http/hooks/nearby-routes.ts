import type { App } from "../app-type.js";

interface Route {
  method: string;
  url: string;
  summary: string;
  /** The parts of its path that are words, split at underscores. */
  words: string[];
}

const MAX_SHOWN = 3;
// Longer words are cut, because anybody can ask for any path.
const MAX_WORD_LENGTH = 40;
const PREFIX = "/api/v1/";

/** Names the routes of the API that somebody may have meant who asked for a path without a route. */
export class NearbyRoutes {
  readonly #routes: Route[] = [];

  /** Collects the documented routes that are added to the app after this. */
  constructor(app: App) {
    app.addHook("onRoute", ({ url, method, schema }) => {
      const { summary, hide } = (schema ?? {}) as { summary?: string; hide?: boolean };
      if (!url.startsWith(PREFIX) || summary === undefined || hide) return;
      const first = [method].flat().find((name) => name !== "HEAD");
      if (first !== undefined) this.#routes.push({ method: first, url, summary, words: wordsOf(url) });
    });
  }

  /**
   * A sentence with the nearest routes; empty when none is near.
   * @example of("/api/v1/users") // " Did you mean POST /api/v1/search/user_reports (Search users)? …"
   */
  of(path: string): string {
    if (!path.startsWith(PREFIX)) return "";
    const wanted = wordsOf(path.slice(0, 200));
    const found = this.#routes
      .map((route) => ({ route, score: scoreOf(wanted, route) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || a.route.url.length - b.route.url.length)
      // The same path with another method.
      .filter(({ route }, index, all) => all.findIndex((other) => other.route.url === route.url) === index)
      .slice(0, MAX_SHOWN)
      .map(({ route: { method, url, summary } }) => `${method} ${url} (${summary})`);
    return found.length === 0 ? " /docs lists all routes." : ` There is ${found.join(", ")}. /docs lists all routes.`;
  }
}

function wordsOf(path: string): string[] {
  return path
    .slice(PREFIX.length)
    .split(/[/_-]/)
    .filter((part) => part !== "" && !part.startsWith(":"))
    .map(singular);
}

/** How many of the wanted words a route has, in its path or in its summary. A word with one typing error counts less. */
function scoreOf(wanted: readonly string[], { words, summary, url }: Route): number {
  const spoken = summary.split(/[\W_]+/).map(singular);
  const points = wanted.map((word) => {
    const inPath = words.includes(word);
    if (inPath && spoken.includes(word)) return 4;
    if (inPath) return 3;
    if (words.some((other) => isMisspelt(word, other))) return 2;
    return spoken.includes(word) ? 1 : 0;
  });
  const score = points.reduce<number>((sum, each) => sum + each, 0);
  if (score === 0) return 0;
  // Most guesses want a list. Among equals, what is about everything comes before what is about one object.
  return score + (/^(Search|List)/.test(summary) ? 2 : 0) + (url.includes(":") ? 0 : 0.5);
}

function singular(word: string): string {
  return word.toLowerCase().slice(0, MAX_WORD_LENGTH).replace(/s$/, "");
}

/** Whether two words differ by one character that is missing, added, replaced or swapped. */
function isMisspelt(given: string, word: string): boolean {
  if (word.length < 4 || Math.abs(given.length - word.length) > 1) return false;
  let same = 0;
  while (same < word.length && given[same] === word[same]) same += 1;
  const [a, b] = [given.slice(same), word.slice(same)];
  const isSwapped = a.length > 1 && a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
  return a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1) || isSwapped;
}
