import { kindOf, trackOf, traitsOf, userOf } from "./records.js";

/** Makes batches of analytics calls that say the same as the records of `RecordMix`, in the form that the libraries send. */
export class CallMix {
  readonly #users: number;
  // A second run must not repeat the ids of the first one.
  readonly #startedAt = Date.now();
  #count = 0;

  constructor({ users }: { users: number }) {
    this.#users = users;
  }

  batch(size: number): string {
    const calls = Array.from({ length: size }, () => this.#call());
    return `{"batch":[${calls.join(",")}],"sentAt":"${new Date().toISOString()}"}`;
  }

  #call(): string {
    const count = this.#count++;
    const user = userOf(count, this.#users);
    const envelope = `"timestamp":"${new Date().toISOString()}","messageId":"bench-${this.#startedAt}-${count}","userId":"user-${user}"`;
    return `{${envelope},${sayOf(user, count)}}`;
  }
}

function sayOf(user: number, count: number): string {
  switch (kindOf(count)) {
    case "traits":
      return `"type":"identify","traits":{"email":"user-${user}@example.com",${traitsOf(user, count).slice(1)}`;
    case "track": {
      const page = `{"url":"https://app.example.com/p/${count % 200}"}`;
      return `"type":"track",${trackOf(count).slice(1, -1)},"context":{"page":${page},"library":{"name":"bench"}}`;
    }
    case "alias":
      return `"type":"alias","previousId":"anon-${user}-${count % 3}"`;
    case "link":
      return `"type":"group","groupId":"company-${user % 5_000}"`;
  }
}
