import type { DriveResult } from "./client/drive.js";
import { LIBRARIES } from "./client/libraries.js";
import type { SinkCount } from "./client/sink.js";
import type { BenchOptions } from "./lib/bench.js";
import { type Child, startChild } from "./lib/child.js";
import { type Cell, renderTable } from "./lib/render-table.js";
import { watchMemory } from "./lib/watch-memory.js";

const CALLS = 45_000;

// The libraries take turns, so that other work of the machine affects all of them.
const ROUNDS = 3;

interface Measurement {
  callsPerSecond: number;
  cpuMicroseconds: number;
  peakMegabytes: number;
  bytesPerCall: number;
  dropped: number;
  repeated: number;
}

/** Measures `track` calls a second and memory of our client and of others, against the same local sink. */
export async function run({ scale }: BenchOptions): Promise<void> {
  const calls = Math.round(CALLS * scale);
  const sink = startChild(new URL("./client/sink.js", import.meta.url), []);
  const { port } = await sink.next<{ port: number }>();
  const names = Object.keys(LIBRARIES);
  const rounds = new Map<string, Measurement[]>(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names) rounds.get(name)?.push(await measure(name, port, calls, sink));
  }
  await sink.stop();
  console.log(`${calls.toLocaleString("en")} track calls in bursts, each followed by a flush; median of ${ROUNDS}\n`);
  console.log(render(rounds));
}

async function measure(name: string, port: number, calls: number, sink: Child): Promise<Measurement> {
  const driver = startChild(new URL("./client/drive.js", import.meta.url), [name, String(port), String(calls)]);
  const memory = watchMemory(driver.pid, 100);
  const { made, seconds, cpuSeconds } = await driver.next<DriveResult>();
  const peak = memory.stop();
  await driver.stop();
  sink.send({ kind: "count" });
  const { arrived, repeated, bytes } = await sink.next<SinkCount>();
  return {
    callsPerSecond: (calls * (arrived / made)) / seconds,
    cpuMicroseconds: (cpuSeconds / calls) * 1_000_000,
    peakMegabytes: peak / 1_000_000,
    bytesPerCall: bytes / Math.max(arrived, 1),
    dropped: made - arrived,
    repeated,
  };
}

function render(rounds: Map<string, Measurement[]>): string {
  const [ours] = rounds.values();
  const ourSpeed = median(ours ?? [], "callsPerSecond");
  const cells: Cell[][] = [...rounds].map(([name, measurements]) => [
    name,
    median(measurements, "callsPerSecond"),
    ourSpeed / median(measurements, "callsPerSecond"),
    median(measurements, "cpuMicroseconds"),
    median(measurements, "peakMegabytes"),
    median(measurements, "bytesPerCall"),
    sum(measurements, "dropped"),
    sum(measurements, "repeated"),
  ]);
  return renderTable(
    ["library", "arrived/s", "ours ×", "CPU µs/call", "peak MB", "bytes/call", "dropped", "repeated"],
    cells,
  );
}

function median(measurements: Measurement[], key: keyof Measurement): number {
  const values = measurements.map((each) => each[key]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? Number.NaN;
}

function sum(measurements: Measurement[], key: keyof Measurement): number {
  return measurements.reduce((total, each) => total + each[key], 0);
}
