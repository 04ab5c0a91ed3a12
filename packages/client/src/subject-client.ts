import type { EntryType } from "@muster/protocol";
import { isObject } from "@muster/protocol";
import { ApiClient } from "./api-client.js";
import { type ClientError, clientError } from "./client-error.js";
import { type Connection, logContext } from "./connection.js";
import type { Receipt } from "./gateway/pending-entry.js";
import { refuseEntry, writeEntry } from "./gateway/write-entry.js";
import { type AdditionalClaims, readAdditionalClaims, type Subject } from "./subject.js";

/** Claims of a browser token, in addition to those of the client's subject. */
export interface TokenClaims extends AdditionalClaims {
  /** Unix time in seconds after which the token is no longer valid. */
  exp?: number;
  /** Unix time in seconds before which the token is not valid yet. */
  nbf?: number;
}

/** Attributes by name; a value may be `{ operation: "set" | "setIfNull" | "inc" | "dec", value }`. `null` unsets. */
export type Attributes = Readonly<Record<string, unknown>>;

/** One or more identifiers of the user or account, usually `anonymous_id`. */
export type AliasBody = Readonly<Record<string, string>>;

/** A client that acts for a user or an account. Returned by `asUser` and `asAccount`. */
export abstract class SubjectClient extends ApiClient {
  protected override readonly subject: Subject;

  constructor(connection: Connection, subject: Subject) {
    super(connection, subject);
    this.subject = subject;
  }

  /**
   * A token signed with the connector's secret. The browser library logs the user or account in with it.
   * Throws for a user whose claims have no `email`.
   *
   * @example
   * const accessToken = client.asUser({ email: "ada@example.com" }).token({ exp: Date.now() / 1_000 + 3_600 });
   */
  token(additionalClaims: TokenClaims = {}): string {
    const { type, user, additional } = this.subject;
    if (type === "user" && user?.email === undefined) {
      throw clientError("invalid_claims", "A token for the browser needs a user whose claims have an `email`.");
    }
    const { exp, nbf } = additionalClaims;
    const times: Record<string, number> = {};
    for (const [name, value] of Object.entries({ exp, nbf })) {
      if (value === undefined) continue;
      if (!Number.isFinite(value)) throw clientError("invalid_claims", `\`${name}\` must be a Unix time in seconds.`);
      times[name] = Math.floor(value);
    }
    const subject = { ...this.subject, additional: { ...additional, ...readAdditionalClaims(additionalClaims) } };
    return this.connection.mint.freshTokenFor(subject, times, Date.now());
  }

  /**
   * Sets attributes. Resolves when Muster has accepted the entry; rejects with the verdict on this entry.
   *
   * @example
   * await client.asUser({ external_id: "42" }).traits({ plan: "pro", "crm/visits": { operation: "inc", value: 1 } });
   */
  traits(attributes: Attributes): Promise<Receipt> {
    return this.write("traits", attributes);
  }

  /**
   * Adds identifiers to this user or account.
   *
   * @example
   * await client.asUser({ external_id: "42" }).alias({ anonymous_id: "visitor-7" });
   */
  alias(body: AliasBody): Promise<Receipt> {
    return this.write("alias", body);
  }

  /**
   * Removes identifiers from this user or account.
   *
   * @example
   * await client.asUser({ external_id: "42" }).unalias({ anonymous_id: "visitor-7" });
   */
  unalias(body: AliasBody): Promise<Receipt> {
    return this.write("unalias", body);
  }

  protected write(type: EntryType, body: Readonly<Record<string, unknown>>): Promise<Receipt> {
    if (!isObject(body)) return this.refuse(type, `The ${type} call needs an object.`);
    const { configuration, brand, gateway } = this.connection;
    const { requestId, firehoseEvents } = configuration;
    if (firehoseEvents) {
      const context = logContext(configuration, this.subject);
      firehoseEvents.push({ context, data: { type, body: { ...body }, ...(requestId ? { requestId } : {}) } });
      return Promise.resolve({ position: null });
    }
    const content = {
      type,
      body,
      requestId,
      tokenHeader: brand.headers.accessToken,
      token: this.accessToken(),
      isUrgent: this.subject.additional.active === true,
    };
    return writeEntry(gateway, content, Date.now(), this.#onRefused(type));
  }

  /** Rejects a call whose arguments cannot be sent. */
  protected refuse(type: EntryType, reason: string): Promise<never> {
    return refuseEntry(clientError("invalid_argument", reason), this.#onRefused(type));
  }

  protected override accessToken(): string {
    return this.connection.mint.tokenFor(this.subject, Date.now());
  }

  #onRefused(type: EntryType): (error: ClientError) => void {
    return ({ code, message }) => this.logger.warn("client.entry.refused", { type, code, reason: message });
  }
}
