import { deliveryState } from "../domain/delivery/delivery.js";
import type { DiskSpace } from "../runtime/disk/disk-space.js";
import { within } from "../runtime/loops/within.js";
import { listTruncated } from "../storage/ingest-log/postgres/log-streams.js";
import type { Database } from "../storage/postgres/database.js";
import { readDeliveryFigures } from "../storage/postgres/delivery/delivery-states.js";
import { readWaitingStages } from "../storage/postgres/figures/server-figures.js";
import { listFailingStages } from "../storage/postgres/stage-problems.js";
import type { Questions } from "../storage/questions/questions.js";
import { MEASURED_LANES } from "./server-gauges.js";

export type PartState = "works" | "late" | "stopped";

/** A part of the server's work, as anybody may see it: without names and figures of customers. */
export interface PartStatus {
  name: string;
  state: PartState;
}

export interface ServerStatus {
  state: PartState;
  parts: PartStatus[];
  at: Date;
}

export interface ServerStatusesOptions {
  database: Database;
  questions: Pick<Questions, "ping">;
  disk: DiskSpace;
}

const LATE_MS = 60_000;
const DELIVERY_LATE_MS = 5 * 60_000;
const ANSWER_LIMIT_MS = 3_000;
// Anybody may load the page, so it asks the engines only so often.
const FRESH_MS = 5_000;

/** Says for everybody whether the server works. */
export class ServerStatuses {
  readonly #options: ServerStatusesOptions;
  #last: { status: Promise<ServerStatus>; at: number } | undefined;

  constructor(options: ServerStatusesOptions) {
    this.#options = options;
  }

  read(): Promise<ServerStatus> {
    const now = performance.now();
    if (!this.#last || now - this.#last.at > FRESH_MS) this.#last = { status: this.#look(), at: now };
    return this.#last.status;
  }

  async #look(): Promise<ServerStatus> {
    const { disk, questions } = this.#options;
    const [stages, failing, deliveryIsLate, diskIsLow, engineAnswers, truncated] = await Promise.all([
      this.#within(readWaitingStages(this.#options.database, MEASURED_LANES)),
      this.#within(listFailingStages(this.#options.database)),
      this.#within(this.#isDeliveryLate()),
      this.#within(disk.isLow()),
      this.#within(questions.ping().then(() => true)),
      this.#within(listTruncated(this.#options.database, { inUse: true })),
    ]);
    const isDatabaseAway = stages === undefined || failing === undefined || deliveryIsLate === undefined;
    const fails = (stage: string) => failing?.some((problem) => problem.stage === stage);
    const isLate = (since: Date | undefined) => since !== undefined && Date.now() - since.getTime() > LATE_MS;
    const part = (name: string, isStopped: boolean | undefined, isLatePart: boolean): PartStatus => ({
      name,
      state: isDatabaseAway || isStopped ? "stopped" : isLatePart ? "late" : "works",
    });
    const parts = [
      // The batches of some organizations are refused while their stream lacks its end.
      part("Receiving records", diskIsLow !== false || truncated?.length !== 0, false),
      // A stage can fail for one organization and work for the others.
      part("Applying records to profiles", false, isLate(stages?.apply.since) || fails("apply") === true),
      part("Searches and segments", !engineAnswers, isLate(stages?.project.since) || fails("project") === true),
      part("Sending to connectors", false, deliveryIsLate === true),
    ];
    const worst = (["stopped", "late"] as const).find((state) => parts.some((each) => each.state === state));
    return { state: worst ?? "works", parts, at: new Date() };
  }

  /** Whether messages wait long for a healthy connector. A failing connector is not the fault of this server. */
  async #isDeliveryLate(): Promise<boolean> {
    const now = Date.now();
    return (await readDeliveryFigures(this.#options.database)).some(({ waitingSince, storedState }) => {
      const { failures, notBefore } = deliveryState(storedState);
      const mayCall = failures === 0 && notBefore <= now;
      return mayCall && waitingSince !== null && now - waitingSince.getTime() > DELIVERY_LATE_MS;
    });
  }

  /** Undefined when there is no answer, or none in time. */
  #within<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
    return within(ANSWER_LIMIT_MS, answer, () => new Error("No answer in time.")).catch(() => undefined);
  }
}
