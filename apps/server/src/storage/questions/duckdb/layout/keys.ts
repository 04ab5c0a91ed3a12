const words = new Int32Array(2);
const key = new BigInt64Array(words.buffer);

/**
 * The key of a user, account or event: a 64-bit hash of its id. Comparing keys takes a fifth of the time of comparing
 * ids. The probability that two of six million ids have the same key is one in a million. Keys are stored, so this
 * function must never change.
 */
export function keyOf(id: string): bigint {
  writeKey(id, words, 0);
  return key[0]!;
}

/** Writes the key of an id to two places of `target`, the lower half first. */
export function writeKey(id: string, target: Int32Array, place: number): void {
  const first = hexWord(id, 0);
  const second = hexWord(id, 8);
  const third = hexWord(id, 16);
  target[place] = finish(round(round(round(0x2545f491, first, 0xcc9e2d51), second, 0xcc9e2d51), third, 0xcc9e2d51));
  target[place + 1] = finish(round(round(round(0x6a09e667, third, 0x85157af5), first, 0x85157af5), second, 0x85157af5));
}

export function keysOf(ids: Iterable<string>): bigint[] {
  return Array.from(ids, keyOf);
}

/** Eight hexadecimal digits as a number of 32 bits. */
function hexWord(id: string, start: number): number {
  let word = 0;
  for (let place = start; place < start + 8; place++) {
    const code = id.charCodeAt(place);
    // Digits are 48 to 57, and letters 97 to 102. Anything else is no id of Muster, but must have the key that it had.
    if (code >= 48 && code <= 57) word = (word << 4) | (code - 48);
    else if (code >= 97 && code <= 102) word = (word << 4) | (code - 87);
    else return Number.parseInt(id.slice(start, start + 8), 16) | 0;
  }
  return word;
}

function round(state: number, word: number, multiplier: number): number {
  const scrambled = Math.imul(word, multiplier);
  const mixed = state ^ Math.imul((scrambled << 15) | (scrambled >>> 17), 0x1b873593);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0x38495ab5) | 0;
}

function finish(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
