import { clientError } from "./client-error.js";
import type { Configuration } from "./configuration.js";
import { type Connection, openLogger } from "./connection.js";
import { flushEntries } from "./gateway/batch-senders.js";
import { type Method, type Params, type RequestOptions, restCall } from "./http/rest-call.js";
import type { Logger } from "./logger.js";
import type { Subject } from "./subject.js";
import { type ClientUtils, createUtils } from "./utils/client-utils.js";

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "DELETE"];

/** The methods of every client, scoped or not: raw REST calls, configuration, log and utilities. */
export abstract class ApiClient {
  protected readonly connection: Connection;
  protected readonly subject: Subject | undefined;
  // Created on first use: many scoped clients make one call and need neither.
  #logger: Logger | undefined;
  #utils: ClientUtils | undefined;

  protected constructor(connection: Connection, subject?: Subject) {
    this.connection = connection;
    this.subject = subject;
  }

  /**
   * The parameters that the client uses, defaults included.
   *
   * @example
   * const { organization, domain, prefix, version } = client.configuration();
   */
  configuration(): Configuration {
    return { ...this.connection.configuration };
  }

  /**
   * Writes log entries. Their context names the connector and, for a scoped client, the subject.
   *
   * @example
   * client.asUser({ email: "ada@example.com" }).logger.info("incoming.user.success", { source: "crm" });
   */
  get logger(): Logger {
    this.#logger ??= openLogger(this.connection, this.subject);
    return this.#logger;
  }

  /** Helpers around the REST API. */
  get utils(): ClientUtils {
    const { id, secret } = this.connection.configuration;
    this.#utils ??= createUtils(id, (path, method, params) =>
      restCall(this.connection, { path, method, params, options: {}, token: secret }, this.logger),
    );
    return this.#utils;
  }

  /**
   * Calls the REST API below the prefix. A scoped client calls as its subject, any other as the connector.
   * Rejects with a `ClientError` holding the server's code when the call is refused.
   *
   * @example
   * await client.request("/app/status", "PUT", { status: "ok", messages: [] }, { timeout: 2_000, retry: 500 });
   */
  async request<Answer = unknown>(
    url: string,
    method: string,
    params: Params = {},
    options: RequestOptions = {},
  ): Promise<Answer> {
    const known = METHODS.find((each) => each === method.toUpperCase());
    if (!known)
      throw clientError("invalid_argument", `The method must be one of ${METHODS.join(", ")}, not "${method}".`);
    const call = { path: url, method: known, params, options, token: this.accessToken() };
    // The caller gives the type of the endpoint's answer; it cannot be checked here.
    return (await restCall(this.connection, call, this.logger)) as Answer;
  }

  /**
   * @example
   * const segments = await client.get<{ id: string; name: string }[]>("/users_segments");
   */
  get<Answer = unknown>(url: string, params: Params = {}, options: RequestOptions = {}): Promise<Answer> {
    return this.request(url, "GET", params, options);
  }

  /**
   * @example
   * await client.post("/search/user_reports", { query: { term: { plan: "pro" } } });
   */
  post<Answer = unknown>(url: string, params: Params = {}, options: RequestOptions = {}): Promise<Answer> {
    return this.request(url, "POST", params, options);
  }

  /**
   * @example
   * await client.put("/settings/user_traits/plan", { type: "string" });
   */
  put<Answer = unknown>(url: string, params: Params = {}, options: RequestOptions = {}): Promise<Answer> {
    return this.request(url, "PUT", params, options);
  }

  /**
   * @example
   * await client.delete(`/${segment.id}`);
   */
  delete<Answer = unknown>(url: string, params: Params = {}, options: RequestOptions = {}): Promise<Answer> {
    return this.request(url, "DELETE", params, options);
  }

  /** The same as `delete`, for code that was written when a method could not have that name. */
  del<Answer = unknown>(url: string, params: Params = {}, options: RequestOptions = {}): Promise<Answer> {
    return this.request(url, "DELETE", params, options);
  }

  /**
   * Sends all queued entries now; resolves when every entry has its verdict. Call it before `process.exit()`. A process
   * that ends by itself flushes first.
   *
   * @example
   * process.once("SIGTERM", () => void client.flush().then(() => process.exit()));
   */
  flush(): Promise<void> {
    return flushEntries(this.connection.gateway);
  }

  /** The credential of raw calls. */
  protected accessToken(): string {
    return this.connection.configuration.secret;
  }
}
