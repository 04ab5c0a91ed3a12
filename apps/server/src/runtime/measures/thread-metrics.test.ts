import { expect, test } from "vitest";
import { createMetrics } from "./metrics.js";
import { readThreadMetrics } from "./thread-metrics.js";
import { ownThreadId } from "./thread-times.js";

function linesOf(text: string, name: string): string[] {
  return text.split("\n").filter((line) => line.startsWith(name));
}

test("counters and histograms of threads are added up, and gauges that a thread has not set say nothing", async () => {
  const main = createMetrics();
  const thread = createMetrics({ isMainThread: false });
  main.entries.inc({ outcome: "accepted" }, 5);
  main.slowQueries.inc({ engine: "postgres" }, 1);
  thread.slowQueries.inc({ engine: "postgres" }, 2);
  thread.entries.inc({ outcome: "applied" }, 4);
  thread.entries.inc({ outcome: "rejected" }, 0);
  thread.stageSeconds.observe({ stage: "apply" }, 0.02);
  thread.lastApplied.set(1_790_000_000);
  main.questionsBytes.remove();
  main.scrapes.addThread(() => readThreadMetrics(thread.registry));
  const text = await main.scrapes.text();
  expect(linesOf(text, "muster_ingest_entries_total").sort()).toEqual([
    'muster_ingest_entries_total{outcome="accepted"} 5',
    'muster_ingest_entries_total{outcome="applied"} 4',
    'muster_ingest_entries_total{outcome="rejected"} 0',
  ]);
  expect(linesOf(text, "muster_slow_queries_total")).toEqual(['muster_slow_queries_total{engine="postgres"} 3']);
  expect(linesOf(text, "muster_pipeline_stage_seconds_count")).toEqual([
    'muster_pipeline_stage_seconds_count{stage="apply"} 1',
  ]);
  expect(linesOf(text, "muster_last_applied")).toEqual(["muster_last_applied_timestamp_seconds 1790000000"]);
  expect(linesOf(text, "muster_questions_bytes")).toEqual([]);
  expect(linesOf(text, "muster_build_info")).toHaveLength(1);
  expect(linesOf(text, "process_start_time_seconds")).toHaveLength(1);
  for (const [name, count] of countTypes(text)) expect([name, count]).toEqual([name, 1]);
});

/** How often each metric is described. Prometheus refuses a second time. */
function countTypes(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, name = ""] of text.matchAll(/^# TYPE (\S+)/gm)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

test("a thread that does not answer leaves the other metrics, and is counted", async () => {
  const main = createMetrics();
  main.scrapes.addThread(() => Promise.reject(new Error("away")));
  const text = await main.scrapes.text();
  expect(linesOf(text, "muster_build_info")).toHaveLength(1);
  expect(linesOf(text, "muster_metrics_unread_total")).toEqual(['muster_metrics_unread_total{figures="threads"} 1']);
});

test.runIf(process.platform === "linux")("the processor time of a thread is counted under its name", async () => {
  const metrics = createMetrics();
  metrics.threadTimes.add("main", ownThreadId());
  // An id that no thread has: a thread that has ended.
  metrics.threadTimes.add("admission", 0);
  const lines = linesOf(await metrics.scrapes.text(), "muster_thread_cpu_seconds_total");
  expect(lines).toEqual([
    expect.stringMatching(/^muster_thread_cpu_seconds_total\{thread="main"\} [\d.]+$/),
    'muster_thread_cpu_seconds_total{thread="admission"} 0',
  ]);
  expect(Number(lines[0]?.split(" ")[1])).toBeGreaterThan(0);
});
