import { readFileSync } from "node:fs";

interface Ticks {
  all: number;
  stolen: number;
}

/**
 * Watches the steal time: how much of the processors' time the host of a virtual machine gives to others. Call the returned
 * function at the end of a run: it returns the share in percent, or undefined where the system does not count it.
 */
export function watchStolenTime(read: () => string | undefined = readStat): () => number | undefined {
  const before = ticksIn(read());
  return () => {
    const after = ticksIn(read());
    if (!before || !after || after.all === before.all) return undefined;
    return (100 * (after.stolen - before.stolen)) / (after.all - before.all);
  };
}

export function stolenSentence(percent: number): string {
  return `Others took ${percent.toFixed(0)} % of the processors' time during the run.`;
}

/** The first line of `/proc/stat`: the time of all processors, by what they did. The eighth number is what others took. */
function ticksIn(stat: string | undefined): Ticks | undefined {
  const fields = /^cpu +(.*)$/m
    .exec(stat ?? "")?.[1]
    ?.split(" ")
    .map(Number);
  // The time of guests, which comes after it, is part of the time before.
  const ticks = fields?.slice(0, 8);
  const stolen = ticks?.[7];
  return ticks && stolen !== undefined ? { all: ticks.reduce((sum, each) => sum + each, 0), stolen } : undefined;
}

/** Linux only. */
function readStat(): string | undefined {
  try {
    return readFileSync("/proc/stat", "utf8");
  } catch {
    return undefined;
  }
}
