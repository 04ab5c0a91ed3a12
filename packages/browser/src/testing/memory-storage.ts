import type { SafeStorage } from "../identity/safe-storage.js";

/** A storage in memory. It can be full. */
export class MemoryStorage implements SafeStorage {
  readonly values = new Map<string, string>();
  isFull = false;

  get(key: string): string | undefined {
    return this.values.get(key);
  }

  set(key: string, value: string): boolean {
    if (this.isFull) return false;
    this.values.set(key, value);
    return true;
  }

  remove(key: string): void {
    this.values.delete(key);
  }

  keys(): string[] {
    return [...this.values.keys()];
  }
}
