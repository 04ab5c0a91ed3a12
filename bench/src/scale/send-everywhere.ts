import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerAddress } from "../chaos/server-address.js";
import { RecordMix } from "../dataset/records.js";
import { postBatch } from "../lib/post-batch.js";
import { secondsSince } from "../lib/seconds-since.js";
import { waitForPosition } from "../lib/wait-for-position.js";
import type { SendingOrganization } from "./create-organizations.js";

export interface SendPlan {
  users: number;
  batchSize: number;
  seconds: number;
}

export interface SentEverywhere {
  entries: number;
  acceptedPerSecond: number;
  /** Counted until all entries of all organizations were searchable. */
  searchablePerSecond: number;
}

const RETRY_MS = 200;

/** Sends records to all organizations at once, as fast as they are accepted, and waits until all are searchable. */
export async function sendEverywhere(
  address: Pick<ServerAddress, "gatewayUrl" | "apiUrl">,
  senders: readonly OrganizationSender[],
  { batchSize, seconds }: SendPlan,
): Promise<SentEverywhere> {
  const startedAt = performance.now();
  const counts = await Promise.all(
    senders.map((sender) => sender.send(address, batchSize, startedAt + seconds * 1_000)),
  );
  const entries = counts.reduce((sum, count) => sum + count, 0);
  const acceptedPerSecond = entries / secondsSince(startedAt);
  await Promise.all(senders.map((sender) => sender.waitUntilSearchable(address.apiUrl)));
  return { entries, acceptedPerSecond, searchablePerSecond: entries / secondsSince(startedAt) };
}

/** Sends the records of one organization, over two connections. */
export class OrganizationSender {
  readonly #organization: SendingOrganization;
  readonly #mix: RecordMix;
  #position = "";

  constructor(organization: SendingOrganization, users: number) {
    this.#organization = organization;
    this.#mix = new RecordMix({ ...organization, users });
  }

  /** Returns the number of entries that were accepted. */
  async send(address: Pick<ServerAddress, "gatewayUrl">, batchSize: number, until: number): Promise<number> {
    const { namespace: organization, connectorId, secret } = this.#organization;
    const agent = new Agent({ keepAlive: true });
    let entries = 0;
    const connection = async () => {
      while (performance.now() < until) {
        const receiver = { url: address.gatewayUrl, organization, connectorId, secret };
        const { status, position } = await postBatch(agent, receiver, this.#mix.batch(batchSize));
        if (status === 200) {
          entries += batchSize;
          this.#position = position;
        } else if (status === 429 || status === 503) {
          await sleep(RETRY_MS);
        } else {
          throw new Error(`A batch of ${organization} was answered with ${status}.`);
        }
      }
    };
    await Promise.all([connection(), connection()]);
    agent.destroy();
    return entries;
  }

  async waitUntilSearchable(url: string): Promise<void> {
    const { namespace: organization, connectorId, secret } = this.#organization;
    if (this.#position !== "") await waitForPosition({ url, organization, connectorId, secret }, this.#position);
  }
}
