/** A file with code that is loaded when something first needs it. */
export interface LazyFile<Contents> {
  load(): Promise<Contents>;
  /** What is in the file, once it is loaded. */
  loaded(): Contents | undefined;
}

/** @example const chart = lazyFile(() => import("./drawn-chart.js")) */
export function lazyFile<Contents>(read: () => Promise<Contents>): LazyFile<Contents> {
  let contents: Contents | undefined;
  return {
    async load() {
      contents = await read();
      return contents;
    },
    loaded: () => contents,
  };
}
