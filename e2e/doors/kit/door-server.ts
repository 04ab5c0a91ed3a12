import { createBrand } from "@muster/protocol";
import type { NewWriteKey, WriteKey } from "@muster/protocol/api/write-keys";
import { expect, vi } from "vitest";
import { callApi, connectorHeaders } from "../../support/call-api.js";
import { type Credentials, credentialsOf } from "../../support/credentials.js";
import { MortalServer } from "../../support/mortal-server.js";
import { PATIENCE } from "../../support/patience.js";

const ADMIN_TOKEN = "operator of the door tests";
const { headers: names } = createBrand();

export interface StoredEvent {
  event: string;
  event_id: string;
  created_at: string;
  properties: Record<string, unknown>;
  context: Record<string, unknown>;
}

export type Report = Record<string, unknown> & { id: string };

/** A server with one connector, and what it knows. */
export class DoorServer {
  readonly server: MortalServer;
  readonly #credentials: Credentials;

  private constructor(server: MortalServer, credentials: Credentials) {
    this.server = server;
    this.#credentials = credentials;
  }

  static async open(): Promise<DoorServer> {
    const environment = { MUSTER_ADMIN_TOKEN: ADMIN_TOKEN, PAGE_RECORDS_PER_MINUTE: "100000" };
    const server = await MortalServer.open("doors", environment);
    return new DoorServer(server, await credentialsOf(server.process));
  }

  async createKey(key: NewWriteKey): Promise<string> {
    const created = await callApi<WriteKey>(this.server.url, {
      method: "POST",
      path: `/${this.#credentials.id}/write_keys`,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, [names.organization]: "default" },
      body: key,
    });
    if (created.key === null) throw new Error("The operator does not see the key.");
    return created.key;
  }

  /** The user with an identifier, once the server has found the user with what is expected. */
  user(identifier: Record<string, string>, check: (report: Report) => void): Promise<Report> {
    return vi.waitFor(async () => {
      const [found] = await this.#search<Report>("user_reports", { term: identifier });
      if (!found) throw new Error(`There is no user with ${JSON.stringify(identifier)}.`);
      check(found);
      return found;
    }, PATIENCE);
  }

  /** The events of a user, once there are so many, without those of Muster itself. */
  events(userId: string, count: number): Promise<StoredEvent[]> {
    return vi.waitFor(async () => {
      const query = {
        bool: { filter: [{ term: { user_id: userId } }], must_not: [{ term: { event_source: "platform" } }] },
      };
      const found = await this.#search<StoredEvent>("events", query);
      if (found.length < count) throw new Error(`There are ${found.length} of ${count} events.`);
      return found;
    }, PATIENCE);
  }

  /** The `number` of each event with a name in their order, once there are so many and all that was received is searchable. */
  async numbersOf(event: string, count: number): Promise<unknown[]> {
    const read = async () =>
      (await this.#search<StoredEvent>("events", { term: { event } })).map(({ properties }) => properties.number);
    await vi.waitFor(async () => expect((await read()).length).toBeGreaterThanOrEqual(count), PATIENCE);
    return (await read()).sort((one, other) => Number(one) - Number(other));
  }

  async #search<Row>(kind: "user_reports" | "events", query: object): Promise<Row[]> {
    const { data } = await callApi<{ data: Row[] }>(this.server.url, {
      method: "POST",
      path: `/search/${kind}`,
      headers: connectorHeaders(this.#credentials),
      body: { query, per_page: 1_000, sort: { created_at: "asc" } },
    });
    return data;
  }
}
