import type { UserUpdateMessage } from "@muster/protocol";
import { Sink } from "./sink.js";

/** A connector that also keeps what it is told about the accounts of users: each link with the one before. */
export class LinkSink extends Sink {
  /** By the external id of a user: the accounts that the user was linked to, in the order of the messages. */
  readonly links = new Map<string, (string | null)[]>();
  /** Messages that tell a link which does not go on from the last one: something is missing or was told twice. */
  readonly brokenLinks: string[] = [];
  readonly #seen = new Set<string>();

  override take(message: UserUpdateMessage, call = 0): void {
    super.take(message, call);
    const change = message.changes.user.account_id as [string | null, string | null] | undefined;
    if (!change || this.#seen.has(message.message_id)) return;
    this.#seen.add(message.message_id);
    const name = String(message.user.external_id);
    const known = this.links.get(name) ?? [];
    this.links.set(name, known);
    const [from, to] = change;
    const last = known.at(-1) ?? null;
    if (from !== last) this.brokenLinks.push(`${name}: linked to ${last}, then from ${from} to ${to}`);
    known.push(to);
  }

  /** How many users are told to be linked to an account. */
  countLinked(accountId: string | null): number {
    let count = 0;
    for (const links of this.links.values()) if (links.at(-1) === accountId) count += 1;
    return count;
  }
}
