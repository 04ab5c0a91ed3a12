import { type Context, createContext, Script } from "node:vm";

/** The longest time that all tests of one matcher may take together. */
const MAX_TOTAL_MS = 250;

const TEST = new Script(
  "{ const expression = new RegExp(pattern); for (const text of texts) results.push(expression.test(text)); }",
);
let context: Context | undefined;

/**
 * Tests texts against regular expressions that the authors of connectors wrote. Such an expression can take for ever on
 * some texts. In a context of its own, V8 stops it when its time is up.
 */
export class PatternMatcher {
  #leftMs = MAX_TOTAL_MS;

  /** Which of the texts match. Undefined for those that were not tested when the time of this matcher was up. */
  readonly matches = (pattern: string, texts: readonly string[]): (boolean | undefined)[] => {
    const results: boolean[] = [];
    const timeout = Math.floor(this.#leftMs);
    const startedAt = performance.now();
    context ??= createContext(Object.create(null) as Context);
    Object.assign(context, { pattern, texts, results });
    try {
      if (timeout > 0) TEST.runInContext(context, { timeout });
    } catch {
      // The time is up, or the compiled expression would be too large: the results end here.
      this.#leftMs = 0;
    } finally {
      this.#leftMs -= performance.now() - startedAt;
    }
    return texts.map((_, index) => results[index]);
  };
}
