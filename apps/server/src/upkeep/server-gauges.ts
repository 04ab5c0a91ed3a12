import { LANE } from "../domain/entries/lanes.js";
import type { DiskSpace } from "../runtime/disk/disk-space.js";
import { folderSize } from "../runtime/disk/folder-size.js";
import { within } from "../runtime/loops/within.js";
import type { Metrics } from "../runtime/measures/metrics.js";
import type { IngestionLog } from "../storage/ingest-log/ingestion-log.js";
import { listTruncated } from "../storage/ingest-log/postgres/log-streams.js";
import type { Database } from "../storage/postgres/database.js";
import { readDatabaseBytes } from "../storage/postgres/figures/database-sizes.js";
import { countUnfinishedJobs, readWaitingStages } from "../storage/postgres/figures/server-figures.js";
import { readSegmentDelays } from "../storage/postgres/segments/segments.js";
import type { Questions } from "../storage/questions/questions.js";

export interface ServerGaugesOptions {
  metrics: Metrics;
  database: Database;
  questions: Pick<Questions, "ping" | "eventColumns">;
  /** The ingestion log in NATS; undefined when there is none. */
  natsLog: Pick<IngestionLog, "ping"> | undefined;
  /** The folder of the embedded question engine; undefined when it is elsewhere. */
  questionsFolder: string | undefined;
  disk: DiskSpace;
}

const SECOND_MS = 1_000;
/** Imports wait on purpose, so they say nothing about the lag. */
export const MEASURED_LANES = [LANE.active, LANE.live];

/** Shows as metrics what an operator needs at night: engines, lag, waiting work, sizes. They are read at each scrape. */
export function readServerGauges(options: ServerGaugesOptions): void {
  const { metrics, database, questions, natsLog, questionsFolder, disk } = options;
  const { scrapes, enginesUp, truncatedStreams, stageLag, waitingBatches, segmentStaleness, unfinishedJobs } = metrics;
  if (questionsFolder !== undefined) readEventColumns(metrics, questions);
  scrapes.add({
    name: "engines",
    gauges: [enginesUp],
    async read() {
      const [postgres, questionEngine, nats] = await Promise.all([
        answers(database.query("select 1")),
        answers(questions.ping()),
        natsLog && answers(natsLog.ping()),
      ]);
      return () => {
        enginesUp.set({ engine: "postgres" }, postgres ? 1 : 0);
        enginesUp.set({ engine: "questions" }, questionEngine ? 1 : 0);
        if (nats !== undefined) enginesUp.set({ engine: "nats" }, nats ? 1 : 0);
      };
    },
  });
  scrapes.add({
    name: "streams",
    gauges: [truncatedStreams],
    async read() {
      const { length } = await listTruncated(database, { inUse: true });
      return () => truncatedStreams.set(length);
    },
  });
  scrapes.add({
    name: "stages",
    gauges: [stageLag, waitingBatches],
    async read() {
      const stages = Object.entries(await readWaitingStages(database, MEASURED_LANES));
      return () => {
        for (const [stage, { since, rows }] of stages) {
          stageLag.set({ stage }, since ? Math.max(0, Date.now() - since.getTime()) / SECOND_MS : 0);
          waitingBatches.set({ stage }, rows);
        }
      };
    },
  });
  scrapes.add({
    name: "segments",
    gauges: [segmentStaleness],
    async read() {
      const now = new Date();
      const delays = await readSegmentDelays(database, now);
      return () => {
        for (const { organizationId: organization, staleSince } of delays) {
          segmentStaleness.set({ organization }, (now.getTime() - staleSince.getTime()) / SECOND_MS);
        }
      };
    },
  });
  scrapes.add({
    name: "jobs",
    gauges: [unfinishedJobs],
    async read() {
      const counts = await countUnfinishedJobs(database);
      return () => {
        for (const { type, status, jobs } of counts) unfinishedJobs.set({ type, status }, jobs);
      };
    },
  });
  readSizes({ metrics, database, questionsFolder, disk });
}

function readEventColumns(
  { scrapes, eventColumns, eventColumnsFilled }: Metrics,
  questions: ServerGaugesOptions["questions"],
): void {
  scrapes.add({
    name: "event columns",
    gauges: [eventColumns, eventColumnsFilled],
    async read() {
      const columns = await questions.eventColumns();
      return () => {
        for (const state of ["wanted", "filling", "complete"] as const) {
          eventColumns.set({ state }, columns.filter((column) => column.state === state).length);
        }
        const chosen = columns.filter(({ state }) => state !== "wanted");
        eventColumnsFilled.set(chosen.reduce((least, { filled }) => Math.min(least, filled), 1));
      };
    },
  });
}

function readSizes(options: Omit<ServerGaugesOptions, "questions" | "natsLog">): void {
  const { database, questionsFolder, disk } = options;
  const { scrapes, diskFree, diskTotal, databaseBytes, questionsBytes } = options.metrics;
  scrapes.add({
    name: "disk",
    gauges: [diskFree, diskTotal, questionsBytes],
    async read() {
      const { freeBytes, totalBytes } = await disk.look();
      const engineBytes = questionsFolder === undefined ? undefined : await folderSize(questionsFolder);
      return () => {
        diskFree.set(freeBytes);
        diskTotal.set(totalBytes);
        if (engineBytes === undefined) questionsBytes.remove();
        else questionsBytes.set(engineBytes);
      };
    },
  });
  scrapes.add({
    name: "database",
    gauges: [databaseBytes],
    async read() {
      const bytes = await readDatabaseBytes(database);
      return () => databaseBytes.set(bytes);
    },
  });
}

// A question to an unavailable engine may take long to fail.
const ANSWER_LIMIT_MS = 2_000;

function answers(answer: Promise<unknown>): Promise<boolean> {
  return within(ANSWER_LIMIT_MS, answer, () => new Error("No answer in time.")).then(
    () => true,
    () => false,
  );
}
