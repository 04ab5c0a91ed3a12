import type {
  AttentionItem,
  ConnectorState,
  Growth,
  Health,
  Lag,
  MovingSegment,
  Overview as OverviewRecord,
} from "@muster/protocol/api/overview";
import type { Search } from "../audience/search/search.js";
import type { Database } from "../storage/postgres/database.js";
import { type AttentionOptions, listAttention } from "./attention.js";
import { type ConnectorStatesOptions, readConnectorStates } from "./connector-states.js";
import { readGrowth } from "./growth.js";
import { healthOf } from "./health.js";
import { readIntakeRate } from "./intake-rate.js";
import { type MovingSegmentsOptions, readMovingSegments } from "./moving-segments.js";
import { RecentAnswers } from "./recent-answers.js";
import { readStageLags } from "./stage-lags.js";

export interface OverviewOptions extends AttentionOptions, ConnectorStatesOptions, MovingSegmentsOptions {
  database: Database;
  search: Search;
}

interface Work {
  lag: Lag;
  connectors: ConnectorState[];
  attention: AttentionItem[];
  health: Health;
}

// Screens ask every second or two. The figures of days change slowly and cost more.
const LIVE_MS = 1_000;
const SEGMENTS_MS = 10_000;
const GROWTH_MS = 60_000;

/** Answers what the first screen of the dashboard asks. All screens of an organization share an answer for a short time. */
export class Overview {
  readonly #options: OverviewOptions;
  readonly #work = new RecentAnswers(LIVE_MS, (organizationId) => this.#readWork(organizationId));
  readonly #overview = new RecentAnswers(LIVE_MS, (organizationId) => this.#read(organizationId));
  readonly #growth = new RecentAnswers(GROWTH_MS, (organizationId) =>
    readGrowth(this.#options.search, organizationId, new Date()),
  );
  readonly #segments = new RecentAnswers(SEGMENTS_MS, (organizationId) =>
    readMovingSegments(this.#options, organizationId, new Date()),
  );

  constructor(options: OverviewOptions) {
    this.#options = options;
  }

  read(organizationId: string): Promise<OverviewRecord> {
    return this.#overview.get(organizationId);
  }

  async health(organizationId: string): Promise<Health> {
    return (await this.#work.get(organizationId)).health;
  }

  growth(organizationId: string): Promise<Growth> {
    return this.#growth.get(organizationId);
  }

  movingSegments(organizationId: string): Promise<MovingSegment[]> {
    return this.#segments.get(organizationId);
  }

  async #read(organizationId: string): Promise<OverviewRecord> {
    const { database } = this.#options;
    const now = new Date();
    const [users, accounts, intake, work] = await Promise.all([
      this.#count(organizationId, "user"),
      this.#count(organizationId, "account"),
      readIntakeRate(database, organizationId, now),
      this.#work.get(organizationId),
    ]);
    return { at: now.toISOString(), users, accounts, intake, ...work };
  }

  async #readWork(organizationId: string): Promise<Work> {
    const { database, search } = this.#options;
    const now = new Date();
    const [connectors, isComplete] = await Promise.all([
      readConnectorStates(this.#options, organizationId, now),
      search.isComplete(organizationId),
    ]);
    const enabled = connectors.filter((connector) => connector.enabled);
    const [lag, attention] = await Promise.all([
      readStageLags(database, organizationId, enabled, now),
      listAttention(this.#options, organizationId, connectors, { now, isComplete }),
    ]);
    return { lag, connectors, attention, health: healthOf(lag, attention) };
  }

  async #count(organizationId: string, subjectType: "user" | "account"): Promise<number> {
    const request = { query: {}, sort: {}, page: 1, perPage: 0 };
    return (await this.#options.search.search(organizationId, subjectType, request)).pagination.total;
  }
}
