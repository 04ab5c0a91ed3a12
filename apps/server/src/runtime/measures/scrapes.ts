import type { Counter, Gauge, Registry } from "prom-client";
import { within } from "../loops/within.js";
import { formatMetrics, type ThreadMetrics } from "./thread-metrics.js";

interface Reading {
  /** What is read, for the metric that counts failures. */
  name: string;
  /** The gauges that get their values from it. */
  gauges: readonly Gauge[];
  /** Reads the figures and returns a function that sets the gauges. */
  read(): Promise<() => void>;
}

// Prometheus waits ten seconds by default.
const LIMIT_MS = 4_000;

/** Reads figures from the engines at each scrape. The figures of an unavailable engine are missing. */
export class Scrapes {
  readonly #registry: Registry;
  readonly #unread: Counter<"figures">;
  readonly #readings: Reading[] = [];
  readonly #threads = new Set<() => Promise<ThreadMetrics>>();
  #running: Promise<string> | undefined;

  constructor(registry: Registry, unread: Counter<"figures">) {
    this.#registry = registry;
    this.#unread = unread;
  }

  add(reading: Reading): void {
    this.#readings.push(reading);
  }

  /** Adds the metrics of another thread to those of this one. Returns a function that takes them out again. */
  addThread(read: () => Promise<ThreadMetrics>): () => void {
    this.#threads.add(read);
    return () => this.#threads.delete(read);
  }

  /** All metrics in the text format of Prometheus. Concurrent scrapes share one read of the engines. */
  text(): Promise<string> {
    this.#running ??= this.#scrape().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #scrape(): Promise<string> {
    const threads = [...this.#threads].map((read) => this.#readThread(read));
    await Promise.all(this.#readings.map((reading) => this.#read(reading)));
    return formatMetrics(this.#registry, await Promise.all(threads));
  }

  async #readThread(read: () => Promise<ThreadMetrics>): Promise<ThreadMetrics> {
    try {
      return await inTime(read());
    } catch {
      this.#unread.inc({ figures: "threads" });
      return [];
    }
  }

  async #read({ name, gauges, read }: Reading): Promise<void> {
    try {
      const set = await inTime(read());
      // Removed objects must not keep their last value.
      for (const gauge of gauges) clear(gauge);
      set();
    } catch {
      // Stale values would look current. The failure is counted, and the unavailable engine has a metric of its own.
      for (const gauge of gauges) clear(gauge);
      this.#unread.inc({ figures: name });
    }
  }
}

function inTime<Figures>(reading: Promise<Figures>): Promise<Figures> {
  return within(LIMIT_MS, reading, () => new Error("The figures were not read in time."));
}

function clear(gauge: Gauge): void {
  gauge.reset();
  // A gauge without labels is 0 after a reset, which would look like a value.
  gauge.remove({});
}
