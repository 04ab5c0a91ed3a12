/** What is kept in the browser between pages. */
export interface SafeStorage {
  get(key: string): string | undefined;
  /** False when the value could not be stored. */
  set(key: string, value: string): boolean;
  remove(key: string): void;
  keys(): string[];
}

/**
 * The local storage of the page. Reading the property already throws where the visitor has blocked storage, so every
 * access is guarded. Without storage nothing is kept.
 */
export function localStorageOf(page: Window): SafeStorage {
  const attempt = <Result>(use: (storage: Storage) => Result, otherwise: Result): Result => {
    try {
      return use(page.localStorage);
    } catch {
      return otherwise;
    }
  };
  return {
    get: (key) => attempt((storage) => storage.getItem(key) ?? undefined, undefined),
    set: (key, value) =>
      attempt((storage) => {
        storage.setItem(key, value);
        return true;
      }, false),
    remove: (key) => attempt((storage) => storage.removeItem(key), undefined),
    keys: () => attempt((storage) => Object.keys(storage), []),
  };
}
