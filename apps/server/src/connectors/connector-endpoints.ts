import { isObject, parseJson, Refusal } from "@muster/protocol";
import type { ConnectorPage, OfferedOption, OptionsQuestion } from "@muster/protocol/api/connectors";
import { readManifest } from "@muster/protocol/manifest";
import { loadSegmentLists } from "../audience/segments/segment-lists.js";
import type { Connector } from "../domain/connectors/connector.js";
import { credentialedUrl } from "../domain/connectors/connector-url.js";
import { readOfferedOptions } from "../domain/connectors/offered-options.js";
import type { Addresses } from "../domain/organizations/addresses.js";
import type { OutboundAnswer, OutboundRequest } from "../outbound/exchange.js";
import { OutboundError } from "../outbound/outbound-error.js";
import type { TrustedFetch } from "../outbound/trusted-fetch.js";
import type { Database } from "../storage/postgres/database.js";
import { connectorPages, isCallable, offersOptions } from "./connector-pages.js";
import { fullConnectorRecord } from "./connector-record.js";
import { fetchReadme } from "./fetch-readme.js";

export interface ConnectorEndpointsOptions {
  database: Database;
  fetch: TrustedFetch;
  addresses: Addresses;
  timeoutMs: number;
}

/** A connector, and the namespace of its organization. */
export interface ConnectorWithNamespace {
  connector: Connector;
  namespace: string;
}

/** The text to search for, and values of the settings form that are not saved yet. */
export type FormState = Omit<OptionsQuestion, "path">;

export type EndpointAnswer = OutboundAnswer & { content: string };

const MAX_ANSWER_BYTES = 5 * 1024 * 1024;

/** The pages and endpoints that connectors offer. */
export class ConnectorEndpoints {
  readonly #options: ConnectorEndpointsOptions;

  constructor(options: ConnectorEndpointsOptions) {
    this.#options = options;
  }

  /** The pages of a connector. Their addresses hold its secret. */
  pages({ connector, namespace }: ConnectorWithNamespace): ConnectorPage[] {
    const { addresses } = this.#options;
    return connectorPages(connector, addresses.organizationHost(namespace), addresses.publicUrl);
  }

  /**
   * Calls an endpoint the way schedules, statuses and actions are called: the connector's credentials are in the query,
   * its record and the segments are in the body.
   */
  async call(
    { connector, namespace }: ConnectorWithNamespace,
    path: string,
    { body = {}, signal }: { body?: Record<string, unknown>; signal?: AbortSignal } = {},
  ): Promise<EndpointAnswer> {
    const { segments, accounts_segments } = await loadSegmentLists(this.#options.database, connector.organizationId);
    return this.#fetch({ connector, namespace }, path, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      // The connector trusts the record and the segments, so the content of the caller replaces none of them.
      body: JSON.stringify({ ...body, connector: fullConnectorRecord(connector), segments, accounts_segments }),
      ...(signal ? { signal } : {}),
    });
  }

  /** Calls an endpoint for the dashboard: only one that the manifest declares. */
  async callDeclared(
    listed: ConnectorWithNamespace,
    path: string,
    body: Record<string, unknown> | undefined,
  ): Promise<EndpointAnswer> {
    const { sourceUrl, manifest } = listed.connector;
    if (sourceUrl === null || !isCallable(readManifest(manifest), path)) {
      throw new Refusal("not_found", `The connector declares no endpoint "${path.slice(0, 200)}".`);
    }
    try {
      const posted = await this.call(listed, path, body ? { body } : {});
      if (posted.status !== 404 && posted.status !== 405) return posted;
      // Older connectors serve the options of a setting only to GET, because the user's browser used to ask for them.
      const got = await this.#fetch(listed, path, { method: "GET", headers: { accept: "application/json" } });
      return got.status < 400 ? got : posted;
    } catch (cause) {
      if (!(cause instanceof OutboundError)) throw cause;
      throw new Refusal("unavailable", `The connector does not answer: ${cause.message}`, { retryAfter: 10, cause });
    }
  }

  /**
   * The options that an endpoint offers for a setting. The connector gets its record with the values of the form, so that
   * the options of one setting can depend on the value of another one.
   */
  async options(listed: ConnectorWithNamespace, path: string, form: FormState): Promise<OfferedOption[]> {
    const { connector, namespace } = listed;
    if (!offersOptions(readManifest(connector.manifest), path)) {
      throw new Refusal("not_found", `No setting of the connector loads its options from "${path.slice(0, 200)}".`);
    }
    const settings = { ...connector.settings, ...form.settings };
    const privateSettings = { ...connector.privateSettings, ...form.private_settings };
    const asked = { connector: { ...connector, settings, privateSettings }, namespace };
    const { search } = form;
    const { status, content } = await this.callDeclared(asked, path, search === undefined ? undefined : { search });
    const answer = parseJson(content);
    const options = status < 300 ? readOfferedOptions(answer) : undefined;
    if (options) return options;
    throw new Refusal("unavailable", `The connector offers no options: ${reasonIn(status, answer)}`, {
      retryAfter: 10,
    });
  }

  /** The readme of a connector as Markdown. Undefined when the connector has none, or does not serve it at the moment. */
  async readme({ sourceUrl, manifest }: Connector): Promise<string | undefined> {
    const { readme } = readManifest(manifest);
    if (sourceUrl === null || readme === undefined) return undefined;
    return fetchReadme(this.#options.fetch, sourceUrl, readme);
  }

  async #fetch(
    { connector, namespace }: ConnectorWithNamespace,
    path: string,
    request: OutboundRequest,
  ): Promise<EndpointAnswer> {
    const { fetch, addresses, timeoutMs } = this.#options;
    const url = credentialedUrl(connector, addresses.organizationHost(namespace), path);
    const answer = await fetch(url.href, { ...request, timeoutMs, maxBytes: MAX_ANSWER_BYTES });
    return { ...answer, content: await answer.text() };
  }
}

/** Why the connector gave no options, in its own words when it gave any. */
function reasonIn(status: number, answer: unknown): string {
  const given = isObject(answer) ? [answer.message, answer.error].find((text) => typeof text === "string") : undefined;
  if (typeof given === "string") return given.slice(0, 500);
  return status < 300 ? "its answer holds no list." : `it answered with status ${status}.`;
}
