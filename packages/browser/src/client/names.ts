/** The names that hold the brand word. The server puts its own word into the script that it serves. */
export interface Names {
  /** The global variable, such as `Svc`. */
  word: string;
  /** Prefix of keys in the storage, and of attributes. */
  lower: string;
  /** Prefix of the query parameters, such as `sjs_`. */
  query: string;
}

export function namesOf(word: string): Names {
  const lower = word.toLowerCase();
  return { word, lower, query: `${lower.charAt(0)}js_` };
}
