import { randomUUID } from "node:crypto";
import { Refusal } from "@muster/protocol";
import type { Connector } from "../../domain/connectors/connector.js";
import type { Profile } from "../../domain/profiles/profile.js";
import { type QueueSnapshotsOptions, queueSnapshots } from "./queue-snapshots.js";

/** Sends single users and accounts to connectors, because a person asked for it. */
export class SingleSends {
  readonly #options: QueueSnapshotsOptions;

  constructor(options: QueueSnapshotsOptions) {
    this.#options = options;
  }

  /** Queues a message about a user or account as it is now. The filters of the connector do not apply. */
  async send({ subjectType, id }: Profile, connector: Connector): Promise<void> {
    const listed = this.#options.directory.find(connector.id);
    if (!listed || !connector.enabled) {
      throw new Refusal("conflict", `The connector "${connector.name}" is disabled, so it gets no messages.`);
    }
    const { isQueued, withheld } = await queueSnapshots(this.#options, listed, subjectType, [id], randomUUID());
    const [first] = withheld;
    if (first) throw new Refusal("conflict", first.reason);
    if (!isQueued) {
      throw new Refusal("conflict", `The connector "${connector.name}" takes no messages about ${subjectType}s.`);
    }
  }
}
