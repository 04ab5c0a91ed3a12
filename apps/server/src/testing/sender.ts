import {
  type AccountClaims,
  type BatchAnswer,
  type BatchEntry,
  createBrand,
  type EntryType,
  type SubjectType,
  signToken,
  type UserClaims,
} from "@muster/protocol";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import { expect } from "vitest";
import type { StoredEvent } from "../domain/events/stored-event.js";
import { findAll } from "./find-all.js";
import type { TestServer } from "./test-server.js";

const brand = createBrand("Svc");

/** The subject of a token. Without `subject` it is the user, when there is one. */
export interface Who {
  user?: UserClaims;
  account?: AccountClaims;
  subject?: SubjectType;
  create?: boolean;
  active?: boolean;
  /** More claims, or other values of the claims above. */
  claims?: Record<string, unknown>;
}

export interface SenderCredentials {
  id: string;
  secret: string;
  organization?: string;
}

export interface SendOptions {
  timestamp?: string | number;
  sentAt?: string | number;
  headers?: Record<string, string>;
}

type Report = Record<string, unknown> & { id: string };

/** A client of the server under test. It signs tokens, sends batches, waits for them and reads the result. */
export class Sender {
  readonly #server: TestServer;
  readonly #credentials: SenderCredentials;

  constructor(server: TestServer, credentials: SenderCredentials = server.first.connector) {
    this.#server = server;
    this.#credentials = credentials;
  }

  token({ user, account, subject, create, active, claims }: Who): string {
    const { id, secret } = this.#credentials;
    return signToken(
      {
        iss: id,
        iat: Math.floor(Date.now() / 1_000),
        [brand.claims.subjectType]: subject ?? (user ? "user" : "account"),
        ...(user ? { [brand.claims.asUser]: user } : {}),
        ...(account ? { [brand.claims.asAccount]: account } : {}),
        ...(create === undefined ? {} : { [brand.claims.create]: create }),
        ...(active === undefined ? {} : { [brand.claims.active]: active }),
        ...claims,
      },
      secret,
    );
  }

  entry(type: EntryType, who: Who, body: Record<string, unknown>, at = new Date()): BatchEntry {
    return { type, timestamp: at.toISOString(), headers: { [brand.headers.accessToken]: this.token(who) }, body };
  }

  traits(who: Who, body: Record<string, unknown>, at?: Date): BatchEntry {
    return this.entry("traits", who, body, at);
  }

  track(who: Who, event: string, fields: Record<string, unknown> = {}, at?: Date): BatchEntry {
    return this.entry("track", who, { event, ...fields }, at);
  }

  /** Sends a batch without change and returns the answer of the gateway. */
  post(batch: unknown, { timestamp, sentAt, headers = {} }: SendOptions = {}): Promise<LightMyRequestResponse> {
    const now = new Date().toISOString();
    return this.#server.app.inject({
      method: "POST",
      url: "/firehose",
      headers: { ...this.headers, ...headers },
      payload: { batch, timestamp: timestamp ?? now, sentAt: sentAt ?? now },
    });
  }

  /** Sends a batch that must be accepted. */
  async send(batch: readonly BatchEntry[], options: SendOptions = {}): Promise<BatchAnswer> {
    const answer = await this.post(batch, options);
    expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
    return answer.json<BatchAnswer>();
  }

  /** Sends a batch and waits until it is searchable. */
  async settle(batch: readonly BatchEntry[], options: SendOptions = {}): Promise<BatchAnswer> {
    const answer = await this.send(batch, options);
    await this.waitFor(answer.position);
    return answer;
  }

  async waitFor(position: string): Promise<void> {
    const { organization } = brand.headers;
    const headers = { ...this.#server.operatorHeaders, [organization]: this.#organization };
    const answer = await this.#server.app.inject({
      url: "/api/v1/org",
      headers: { ...headers, [brand.headers.waitFor]: position },
    });
    expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  }

  /** The headers of the connector with its secret. */
  get headers(): Record<string, string> {
    const { id, secret } = this.#credentials;
    const { appId, accessToken, organization } = brand.headers;
    return { [appId]: id, [accessToken]: secret, [organization]: this.#organization };
  }

  get #organization(): string {
    return this.#credentials.organization ?? this.#server.first.organization.namespace;
  }

  /** A call with the connector's secret. */
  call(method: "GET" | "POST" | "PUT" | "DELETE", path: string, options: Partial<InjectOptions> = {}) {
    const headers = { ...this.headers, ...options.headers };
    return this.#server.app.inject({ ...options, method, url: `/api/v1${path}`, headers });
  }

  /** A call with the token of a user or account. */
  callAs(who: Who, method: "GET" | "POST" | "PUT" | "DELETE", path: string, options: Partial<InjectOptions> = {}) {
    const { accessToken, organization } = brand.headers;
    const own = { [accessToken]: this.token(who), [organization]: this.#organization };
    return this.#server.app.inject({
      ...options,
      method,
      url: `/api/v1${path}`,
      headers: { ...own, ...options.headers },
    });
  }

  /** The report of a user who must exist. */
  async user(claims: UserClaims): Promise<Report> {
    const answer = await this.#report(claims);
    expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
    return answer.json<Report>();
  }

  async isKnown(claims: UserClaims): Promise<boolean> {
    return (await this.#report(claims)).statusCode === 200;
  }

  /** Read with the connector's access: an end user reads nothing by an anonymous id. */
  #report(user: UserClaims): Promise<LightMyRequestResponse> {
    return this.callAs({ user, claims: { scopes: ["admin"] } }, "GET", "/me/user_report");
  }

  /** The record of an object that must exist. */
  async object(id: string): Promise<Record<string, unknown>> {
    const answer = await this.call("GET", `/${id}`);
    expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
    return answer.json();
  }

  /** Events as questions return them, the oldest first, without those of Muster itself. */
  async events(where: { event?: string; user?: string } = {}): Promise<StoredEvent[]> {
    const organizationId = await this.organizationId();
    const must = [
      ...(where.event === undefined ? [] : [{ term: { event: where.event } }]),
      ...(where.user === undefined ? [] : [{ term: { user_id: where.user } }]),
    ];
    const query = { bool: { must, must_not: [{ term: { source: "platform" } }] } };
    const found = await findAll(this.#server, organizationId, "event", query);
    const events = found.map(({ report }) => report as unknown as StoredEvent);
    for (const user of new Set(events.map(({ user_id }) => user_id))) {
      const own = { bool: { ...query.bool, must: [...must, { term: { user_id: user } }] } };
      const ids = (await findAll(this.#server, organizationId, "event", own)).map(({ id }) => id);
      expect(events.filter(({ user_id }) => user_id === user).map(({ id }) => id)).toEqual(ids);
    }
    return events;
  }

  async organizationId(): Promise<string> {
    const { rows } = await this.#server.database.query<{ id: string }>(
      "select id from organizations where id = $1 or namespace = $1",
      [this.#organization],
    );
    return rows[0]?.id ?? "";
  }

  /** Entries that could not be applied, the oldest first. */
  async rejected(): Promise<{ id: number; code: string; message: string; entry: Record<string, unknown> }[]> {
    const answer = await this.call("GET", "/ingestion/rejected?per_page=1000");
    return answer.json<{ id: number; code: string; message: string; entry: Record<string, unknown> }[]>().reverse();
  }
}

/** A second organization with a connector of its own. */
export async function openOrganization(server: TestServer, namespace: string): Promise<Sender> {
  const headers = server.operatorHeaders;
  const created = await server.app.inject({
    method: "POST",
    url: "/api/v1/organizations",
    headers,
    payload: { namespace },
  });
  expect(created.statusCode).toBe(201);
  const connector = await server.app.inject({
    method: "POST",
    url: "/api/v1/connectors",
    headers: { ...headers, [brand.headers.organization]: namespace },
    payload: { name: "CRM" },
  });
  const { id, secret } = connector.json<{ id: string; secret: string }>();
  return new Sender(server, { id, secret, organization: namespace });
}
