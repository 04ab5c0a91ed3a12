import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** What scripts weigh when they are compressed with gzip, in bytes. Each is fetched once. */
export class ScriptScales {
  readonly #sizes = new Map<string, Promise<number>>();

  async weigh(addresses: readonly string[]): Promise<number> {
    const sizes = await Promise.all(addresses.map((address) => this.#sizeOf(address)));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  #sizeOf(address: string): Promise<number> {
    const known = this.#sizes.get(address) ?? sizeOf(address);
    this.#sizes.set(address, known);
    return known;
  }
}

async function sizeOf(address: string): Promise<number> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}.`);
  return (await promisify(gzip)(await answer.arrayBuffer(), { level: 9 })).byteLength;
}
