/** Runs code of the page. Its errors are reported by the browser as those of the page, and do not stop the library. */
export function guarded(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    console.error(error);
  }
}

/** A page that does not look at a promise must not see an unhandled rejection. */
export function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}
