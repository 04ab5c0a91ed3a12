import type { DriveResult } from "./client/drive.js";
import { LIBRARIES } from "./client/libraries.js";
import type { SinkCount } from "./client/sink.js";
import type { BenchOptions } from "./lib/bench.js";
import { type Child, startChild } from "./lib/child.js";
import { type Cell, renderTable } from "./lib/render-table.js";
import { watchMemory } from "./lib/watch-memory.js";

const CALLS = 180_000;

interface Row {
  name: string;
  callsPerSecond: number;
  cpuMicroseconds: number;
  peakMegabytes: number;
  bytesPerCall: number;
  dropped: number;
  doubled: number;
}

/** `track` calls a second and memory of our client beside others, against the same local sink. */
export async function run({ scale }: BenchOptions): Promise<void> {
  const calls = Math.round(CALLS * scale);
  const sink = startChild(new URL("./client/sink.js", import.meta.url), []);
  const { port } = await sink.next<{ port: number }>();
  const rows: Row[] = [];
  for (const name of Object.keys(LIBRARIES)) rows.push(await measure(name, port, calls, sink));
  await sink.stop();
  console.log(`${calls.toLocaleString("en")} track calls, in bursts of 9,000 followed by a flush\n`);
  console.log(render(rows));
}

async function measure(name: string, port: number, calls: number, sink: Child): Promise<Row> {
  const driver = startChild(new URL("./client/drive.js", import.meta.url), [name, String(port), String(calls)]);
  const memory = watchMemory(driver.pid);
  const { seconds, cpuSeconds } = await driver.next<DriveResult>();
  const peak = memory.stop();
  await driver.stop();
  sink.send({ kind: "count" });
  const { arrived, doubled, bytes } = await sink.next<SinkCount>();
  return {
    name,
    callsPerSecond: arrived / seconds,
    cpuMicroseconds: (cpuSeconds / calls) * 1_000_000,
    peakMegabytes: peak / 1_000_000,
    bytesPerCall: bytes / Math.max(arrived, 1),
    dropped: calls - arrived,
    doubled,
  };
}

function render(rows: Row[]): string {
  const ours = rows[0]?.callsPerSecond ?? 0;
  const cells: Cell[][] = rows.map((row) => [
    row.name,
    row.callsPerSecond,
    ours / row.callsPerSecond,
    row.cpuMicroseconds,
    row.peakMegabytes,
    row.bytesPerCall,
    row.dropped,
    row.doubled,
  ]);
  return renderTable(
    ["library", "arrived/s", "ours ×", "CPU µs/call", "peak MB", "bytes/call", "dropped", "doubled"],
    cells,
  );
}
