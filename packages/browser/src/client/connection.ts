import { BrowserError } from "../browser-error.js";
import type { Arrived, Carried } from "../identity/carried-ids.js";
import type { StoredBatch } from "../outbox/outbox.js";
import { postBatch } from "../outbox/post-batch.js";
import type { Verdict } from "../outbox/sender.js";
import type { PageConfig, User } from "../page-config.js";
import type { Request } from "../request.js";
import { serialiseJson } from "../serialise-json.js";

export interface ConnectionOptions {
  /** The address of the platform at the server. */
  base: string;
  request: Request;
  now(): number;
  /** The server does not accept a token any more. */
  onInvalidToken(token: string): void;
}

/** The calls of the library to the server. */
export class Connection {
  readonly #options: ConnectionOptions;
  /** Tokens that the server has refused. They are not sent again, because it limits invalid tokens per IP address. */
  readonly #invalidTokens = new Set<string>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** The settings of the platform, equal for all visitors. The call does not identify the visitor. */
  async page(): Promise<PageConfig> {
    return (await this.#call("GET", "/page")) as unknown as PageConfig;
  }

  /** The user that a token is about; false when the user is not known. */
  async me(visitor: StoredBatch["visitor"]): Promise<User | false> {
    return (await this.#call("POST", "/me", printVisitor(visitor))) as unknown as User | false;
  }

  async login(visitor: StoredBatch["visitor"], url: string): Promise<User> {
    return (await this.#call("POST", "/login", printVisitor(visitor, { url }))) as unknown as User;
  }

  /** What a link to another domain of the organization carries: the id of the browser, and the token of the user. */
  async carry(bid: string, to: string, access_token: string | undefined): Promise<Carried> {
    return (await this.#call("POST", "/carry", serialiseJson({ bid, to, access_token }))) as unknown as Carried;
  }

  /** What a link has carried to this page, from a page of the host `from`. */
  async arrive(carried: string, from: string): Promise<Arrived> {
    return (await this.#call("POST", "/arrive", serialiseJson({ carried, from }))) as Arrived;
  }

  send(batch: StoredBatch): Promise<Verdict> {
    const { accessToken, ...browser } = batch.visitor;
    const isInvalid = accessToken !== undefined && this.#invalidTokens.has(accessToken);
    const onInvalidToken = (token: string) => {
      this.#invalidTokens.add(token);
      this.#options.onInvalidToken(token);
    };
    const options = { ...this.#options, url: this.recordsUrl, onInvalidToken };
    return postBatch(options, isInvalid ? { ...batch, visitor: browser } : batch);
  }

  get recordsUrl(): string {
    return `${this.#options.base}/records`;
  }

  async #call(method: "GET" | "POST", path: string, text?: string): Promise<object> {
    const { base, request } = this.#options;
    const { status, body } = await request(method, `${base}${path}`, text).catch(() => {
      throw new BrowserError("unreachable", "The server cannot be reached.");
    });
    if (status >= 200 && status < 300) return body;
    const message = body.message ?? `The server answered ${status}.`;
    throw new BrowserError(status === 401 ? "unauthorized" : "refused", message);
  }
}

function printVisitor({ bid, sid, accessToken }: StoredBatch["visitor"], more: object = {}): string {
  return serialiseJson({ bid, sid, access_token: accessToken, ...more });
}
