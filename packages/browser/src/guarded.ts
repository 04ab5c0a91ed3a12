/** Runs a callback of the page. The browser reports its errors as errors of the page, and the library goes on. */
export function guarded(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    console.error(error);
  }
}

/** Prevents an unhandled rejection when the page ignores the promise. */
export function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}
