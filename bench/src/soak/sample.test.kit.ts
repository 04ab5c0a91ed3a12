import type { Sample } from "./sample.js";

/** Samples of a soak in which nothing grows but what must grow, every three seconds; `change` replaces some figures. */
export function samplesOf(change: (index: number) => Partial<Sample>, count = 60): Sample[] {
  return Array.from({ length: count }, (_, index) => ({
    second: index * 3,
    records: index * 9_000,
    memoryMb: { server: 400, backend: 100, checkpointer: 60, background: 40 },
    heapMb: 120,
    externalMb: 20,
    handles: 60,
    lagMs: { apply: 5, search: 20 },
    engineMb: 100 + index * 3,
    engineLogMb: index % 10,
    questionMs: 30,
    columns: 3,
    tables: {
      users: { mb: 50, live: 96, dead: 4 },
      changes: { mb: 10 + index, live: 100, dead: 0 },
    },
    ...change(index),
  }));
}
