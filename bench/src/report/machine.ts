import { cpus, totalmem } from "node:os";

/** What was measured on. It names no host and no path. */
export interface Machine {
  processor: string;
  cores: number;
  memoryGb: number;
  system: string;
  node: string;
}

export function describeMachine(): Machine {
  const all = cpus();
  return {
    processor: all[0]?.model.trim() ?? "unknown",
    cores: all.length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: `${process.platform} ${process.arch}`,
    node: process.version,
  };
}
