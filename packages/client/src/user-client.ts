import { randomUUID } from "node:crypto";
import type { AccountClaims } from "@muster/protocol";
import { consentAttribute, isObject } from "@muster/protocol";
import type { Receipt } from "./gateway/pending-entry.js";
import { readAccountClaims } from "./subject.js";
import { SubjectClient } from "./subject-client.js";

/** What is known about an event besides its properties. Everything is optional. */
export interface EventContext {
  /** Namespace, e.g. `stripe`. */
  source?: string | undefined;
  /** Kind of event, e.g. `payment`. */
  type?: string | undefined;
  /** When it happened: ISO 8601, unix seconds or a Date. Default now. */
  created_at?: string | number | Date | undefined;
  /** Events with the same id overwrite each other. Default: a random id, so that a repeated batch doubles no event. */
  event_id?: string | undefined;
  /** Address to locate the event by. Default `null`: a server call, not located. */
  ip?: string | null | undefined;
  /** Default `null`. */
  url?: string | null | undefined;
  /** Default `null`: a server call. */
  referer?: string | null | undefined;
  /** The user agent of the browser, from which browser, system and device are read. */
  useragent?: string | undefined;
  session_id?: string | undefined;
  /** The entity that the user acted on: its object id, or an id of your own. An id that is not known makes an entity. */
  entity_id?: string | number | undefined;
  /** The http or https address of that entity. Alone it is its id too. */
  entity_url?: string | undefined;
}

/** A client that acts for a user. */
export class UserClient extends SubjectClient {
  /**
   * Records an event. Resolves when Muster has accepted the entry; rejects with the verdict on this entry.
   *
   * @example
   * await client
   *   .asUser({ email: "ada@example.com" })
   *   .track("Order placed", { total: 120 }, { source: "shop", event_id: "order-1001" });
   */
  track(
    event: string,
    properties: Readonly<Record<string, unknown>> = {},
    context: EventContext = {},
  ): Promise<Receipt> {
    if (typeof event !== "string" || event.trim() === "") {
      return this.refuse("track", "The track call needs the event's name.");
    }
    if (!isObject(properties) || !isObject(context)) {
      return this.refuse("track", "The track call needs its properties and context to be objects.");
    }
    const event_id = context.event_id ?? randomUUID();
    return this.write("track", { ip: null, url: null, referer: null, ...context, event_id, properties, event });
  }

  /**
   * Says what this user agrees to, for each purpose. Resolves when Muster has accepted it.
   *
   * @example
   * await client.asUser({ external_id: "42" }).consent({ marketing: true, analytics: false });
   */
  consent(choices: Readonly<Record<string, boolean>>): Promise<Receipt> {
    const chosen = isObject(choices) ? Object.entries(choices) : [];
    if (chosen.length === 0 || chosen.some(([, agreed]) => typeof agreed !== "boolean")) {
      return this.refuse("traits", "The consent call needs an object of purposes, each true or false.");
    }
    return this.traits(Object.fromEntries(chosen.map(([purpose, agreed]) => [consentAttribute(purpose), agreed])));
  }

  /**
   * A client for the same user. Its calls are about the user and also link the user to the account.
   * Throws when the claims hold no usable identifier of an account.
   *
   * @example
   * await client.asUser({ email: "ada@example.com" }).account({ domain: "example.com" }).traits({ role: "owner" });
   */
  account(accountClaim: string | AccountClaims): UserClient {
    return new UserClient(this.connection, { ...this.subject, account: readAccountClaims(accountClaim) });
  }
}
