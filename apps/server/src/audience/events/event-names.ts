import { DAY_MS } from "@muster/protocol";
import { startOf, startsBetween } from "../../domain/charts/intervals.js";
import { summariseProperties } from "../../domain/events/summarise-properties.js";
import type { Database } from "../../storage/postgres/database.js";
import { listEventPlans, readHiddenEvents } from "../../storage/postgres/definitions/event-plans.js";
import type { VolumeRequest } from "../../storage/questions/event-figures.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { Search } from "../search/search.js";

export interface EventNamesOptions {
  database: Database;
  questions: Pick<Questions, "measureEvents" | "countEventsPerInterval">;
  search: Search;
}

const DAYS = 30;
// The properties of so many events are read. More would take longer and hardly show others.
const SAMPLED_EVENTS = 1_000;

interface NamesRequest extends Omit<VolumeRequest, "now" | "without"> {
  /** Also names that are hidden, and names that were merged into others. */
  withHidden: boolean;
}

/** The names of an organization's events: how often each is recorded, and with which properties. */
export class EventNames {
  readonly #options: EventNamesOptions;

  constructor(options: EventNamesOptions) {
    this.#options = options;
  }

  /** A page of the event names with their volume, at all and on each of the last 30 days. */
  async list(organizationId: string, { withHidden, ...request }: NamesRequest) {
    const { database, questions } = this.#options;
    const now = new Date();
    const without = withHidden ? [] : await readHiddenEvents(database, organizationId);
    const { total, volumes } = await questions.measureEvents(organizationId, { ...request, without, now });
    const from = new Date(startOf("day", now.getTime()) - (DAYS - 1) * DAY_MS);
    const names = volumes.map(({ event }) => event);
    const span = { from, to: now, interval: "day" } as const;
    const [perDay, plans] = await Promise.all([
      questions.countEventsPerInterval(organizationId, span, { names, top: names.length }),
      listEventPlans(database, organizationId, names),
    ]);
    const planOf = new Map(plans.map((plan) => [plan.name, plan]));
    const counts = new Map(perDay.map(({ event, start, count }) => [`${start} ${event}`, count]));
    const starts = startsBetween("day", from.getTime(), now.getTime());
    const listed = volumes.map((volume) => ({
      name: volume.event,
      count: volume.count,
      last_24_hours: volume.lastDay,
      last_7_days: volume.last7Days,
      last_30_days: volume.last30Days,
      first_at: volume.firstAt,
      last_at: volume.lastAt,
      emitted: volume.emitted,
      sources: volume.sources,
      days: starts.map((start) => counts.get(`${start} ${volume.event}`) ?? 0),
      description: planOf.get(volume.event)?.description ?? "",
      owner: planOf.get(volume.event)?.owner ?? "",
      hidden: planOf.get(volume.event)?.hidden ?? false,
      planned: (planOf.get(volume.event)?.properties ?? null) !== null,
      problems: planOf.get(volume.event)?.problems ?? 0,
    }));
    return { total, names: listed };
  }

  /** The properties of the latest events with a name. */
  async properties(organizationId: string, event: string) {
    const answer = await this.#options.search.search(organizationId, "event", {
      query: { term: { event } },
      sort: { created_at: "desc" },
      page: 1,
      perPage: SAMPLED_EVENTS,
    });
    const events = answer.data.map(({ properties }) => properties);
    return {
      event,
      count: answer.pagination.total,
      sampled: events.length,
      properties: summariseProperties(events),
    };
  }
}
