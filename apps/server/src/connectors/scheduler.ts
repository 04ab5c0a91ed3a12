import { isObject, parseJson } from "@muster/protocol";
import type { Schedule } from "@muster/protocol/api/connectors";
import { CONNECTOR_STATUSES } from "@muster/protocol/manifest";
import type { Logger } from "pino";
import type { Connector } from "../domain/connectors/connector.js";
import { nextRun, timingOf } from "../domain/connectors/timing.js";
import { OutboundError } from "../outbound/outbound-error.js";
import { Loop } from "../runtime/loops/loop.js";
import {
  listSchedules,
  nextDueAt,
  readDue,
  type ScheduleRun,
  saveRun,
  setDue,
  setStatusDue,
  syncSchedules,
  takeDue,
  type WantedSchedule,
} from "../storage/postgres/connectors/schedule-runs.js";
import type { Database } from "../storage/postgres/database.js";
import type { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import type { WakeUps } from "../storage/postgres/wake-ups.js";
import type { ConnectorDirectory, ListedConnector } from "./connector-directory.js";
import type { ConnectorEndpoints } from "./connector-endpoints.js";
import type { ConnectorStatuses } from "./connector-statuses.js";

export interface SchedulerOptions {
  database: Database;
  leases: WorkLeases;
  wakeUps: WakeUps;
  directory: ConnectorDirectory;
  endpoints: ConnectorEndpoints;
  statuses: ConnectorStatuses;
  logger: Logger;
}

const ROLE = "deliver";
const STORING = "schedules of connectors";
// How soon this process notices schedules that another process changed.
const LOOK_EVERY_MS = 10_000;
// How soon a due call that belongs to another process is looked at again.
const LOOK_AGAIN_MS = 1_000;

/**
 * Makes the recurring calls of connectors: their schedules, and the endpoint that gives their status. One call at a time
 * for each connector, and connectors at the same time. If runs were missed while no server ran, one call is made for
 * them. Connectors are shared out among the processes that make calls, and one of these stores the schedules of all.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #loop: Loop;
  /** The last call of each connector. The next one waits for it. */
  readonly #runs = new Map<string, Promise<void>>();
  readonly #inFlight = new Set<string>();
  #isStale = true;
  readonly #stopListening: (() => void)[] = [];

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#loop = new Loop({
      step: (signal) => this.#step(signal),
      onError: (error) => options.logger.error({ err: error }, "scheduling failed"),
    });
  }

  start(): void {
    const { directory, leases, wakeUps } = this.#options;
    this.#stopListening.push(
      wakeUps.on("schedules", () => this.#loop.wake()),
      directory.onChange(() => {
        this.#isStale = true;
        this.#loop.wake();
      }),
      leases.onChange(() => this.#loop.wake()),
    );
    this.#loop.start();
  }

  async stop(): Promise<void> {
    for (const stop of this.#stopListening) stop();
    await this.#loop.stop();
    await Promise.all(this.#runs.values());
  }

  /** The recurring calls of a connector: when the next one is due, and how the last one went. */
  async list({ organizationId, id }: Connector): Promise<Schedule[]> {
    const schedules = await listSchedules(this.#options.database, organizationId, id);
    return schedules.map(({ kind, url, timing, dueAt, lastRunAt, lastResult, lastDurationMs }) => ({
      kind,
      url,
      timing,
      due_at: dueAt.toISOString(),
      last_run_at: lastRunAt?.toISOString() ?? null,
      last_result: lastResult,
      last_duration_ms: lastDurationMs,
    }));
  }

  /** Asks a connector for its status soon, because a member has changed its settings and waits for the result. */
  async askStatusSoon({ organizationId, id }: Connector): Promise<void> {
    const { database, leases, wakeUps } = this.#options;
    await setStatusDue(database, organizationId, id);
    if (leases.hasOthers(ROLE)) wakeUps.tell("schedules");
    this.#loop.wake();
  }

  /** Starts the calls that are due. Returns how long to wait for the next one. */
  async #step(signal: AbortSignal): Promise<number> {
    const { database, leases } = this.#options;
    const now = new Date();
    if (this.#isStale && leases.isMine(ROLE, STORING) && (await leases.take(STORING))) await this.#followDirectory(now);
    if (!leases.isMine(ROLE, STORING)) await leases.release(STORING);
    let hasOthers = false;
    for (const run of await readDue(database, now)) {
      if (!(await this.#mayCall(run))) hasOthers = true;
      // Counted from now and not from the due time, so that one call makes up for all missed runs.
      else if (await takeDue(database, run, nextRun(run.timing, now))) this.#enqueue(run, signal);
    }
    const nextAt = await nextDueAt(database);
    const untilNext = nextAt ? Math.max(1, nextAt.getTime() - Date.now()) : LOOK_EVERY_MS;
    return Math.min(Math.max(untilNext, hasOthers ? LOOK_AGAIN_MS : 0), LOOK_EVERY_MS);
  }

  /** Whether this process makes the calls of a connector. While a call runs, the process keeps the lease. */
  async #mayCall({ connectorId, organizationId }: ScheduleRun): Promise<boolean> {
    const { leases } = this.#options;
    const work = workOf(connectorId);
    if (leases.isMine(ROLE, work, organizationId)) return (await leases.take(work, organizationId)) !== undefined;
    if (!this.#runs.has(connectorId)) await leases.release(work, organizationId);
    return false;
  }

  async #followDirectory(now: Date): Promise<void> {
    const { database, directory } = this.#options;
    // A change that arrives during the save makes the schedules stale again.
    this.#isStale = false;
    try {
      await syncSchedules(
        database,
        directory.all().flatMap((listed) => wantedOf(listed, now)),
      );
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
  }

  /** Calls when the calls of the connector before it have ended. The stop of the scheduler aborts `signal`. */
  #enqueue(run: ScheduleRun, signal: AbortSignal): void {
    const key = `${run.connectorId} ${run.kind} ${run.url}`;
    // The last call took longer than the interval: no second one is started beside it.
    if (this.#inFlight.has(key)) return;
    this.#inFlight.add(key);
    const before = this.#runs.get(run.connectorId) ?? Promise.resolve();
    const next = before
      .then(() => this.#call(run, signal))
      .catch(async (error) => {
        // The server stops during the call, so the call is repeated after the next start.
        if (signal.aborted) await setDue(this.#options.database, run, new Date());
        else this.#options.logger.error({ err: error, ...run }, "a schedule failed");
      })
      .finally(() => {
        this.#inFlight.delete(key);
        if (this.#runs.get(run.connectorId) === next) this.#runs.delete(run.connectorId);
      });
    this.#runs.set(run.connectorId, next);
  }

  async #call(run: ScheduleRun, signal: AbortSignal): Promise<void> {
    const { database, directory } = this.#options;
    const listed = directory.find(run.connectorId);
    signal.throwIfAborted();
    if (!listed?.connector.enabled || !listed.isOrganizationEnabled) return;
    const at = new Date();
    const startedAt = performance.now();
    const result = await this.#callOnce(listed, run, signal);
    await saveRun(database, run, { at, result, durationMs: performance.now() - startedAt });
  }

  /** Makes the call. Returns in a few words how it ended. */
  async #callOnce(listed: ListedConnector, { kind, url }: ScheduleRun, signal: AbortSignal): Promise<string> {
    try {
      const { endpoints } = this.#options;
      const { status, content } = await endpoints.call(listed, url, { signal });
      if (status < 200 || status > 299) return `status ${status}`;
      return kind === "status" ? await this.#takeStatus(listed, content) : "ok";
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return error.message;
    }
  }

  async #takeStatus({ connector }: ListedConnector, content: string): Promise<string> {
    const parsed = parseJson(content);
    const answer = isObject(parsed) ? parsed : {};
    const status = CONNECTOR_STATUSES.find((known) => known === answer.status);
    if (!status) return "no status in the answer";
    const messages = Array.isArray(answer.messages) ? answer.messages.filter((entry) => typeof entry === "string") : [];
    await this.#options.statuses.set(connector.organizationId, connector.id, {
      status,
      messages: messages.map((message: string) => message.replaceAll("\0", "")),
      source: "poll",
    });
    return "ok";
  }
}

/** The recurring calls that the manifest of a connector declares. The first is due after one interval. */
function wantedOf({ connector, manifest }: ListedConnector, now: Date): WantedSchedule[] {
  if (connector.sourceUrl === null || !connector.enabled) return [];
  const values = { settings: connector.settings, private_settings: connector.privateSettings };
  const { organizationId, id: connectorId } = connector;
  const of = (kind: "schedule" | "status", schedules: typeof manifest.schedules) =>
    schedules.flatMap((schedule) => {
      const timing = timingOf(schedule, values);
      if (timing === undefined) return [];
      return [{ organizationId, connectorId, kind, url: schedule.url, timing, dueAt: nextRun(timing, now) }];
    });
  // A path that is declared twice is stored once.
  const all = [...of("schedule", manifest.schedules), ...of("status", manifest.statuses)];
  return [...new Map(all.map((wanted) => [`${wanted.kind} ${wanted.url}`, wanted])).values()];
}

function workOf(connectorId: string): string {
  return `schedules of connector ${connectorId}`;
}
