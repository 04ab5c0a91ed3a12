import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import type {} from "./note-processor-time.js";

const SLOWEST = 12;

/** A file that gets the times of all test files as JSON, for those who look for what is slow. */
const { TEST_TIMES: TIMES_FILE } = process.env;

interface Times {
  name: string;
  tests: number;
  /** From the first import to the last hook. */
  elapsedMs: number;
  processorMs: number;
}

/** Prints at the end of a test run which projects and which files the time went to. */
export default class TimeReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length === 0) return;
    const files = modules.map((module) => ({ project: module.project.name, ...timesOf(module) }));
    const names = [...new Set(files.map(({ project }) => project))];
    const projects = names.map((name) =>
      add(
        name,
        files.filter(({ project }) => project === name),
      ),
    );
    if (TIMES_FILE) writeFileSync(TIMES_FILE, JSON.stringify(files));
    const slowest = files.toSorted((a, b) => b.elapsedMs - a.elapsedMs).slice(0, SLOWEST);
    console.log(`\nWhere the time went. Files run side by side, so these times add up to more than the run took.`);
    console.table(projects.map((times) => row(times)));
    console.log(`The ${slowest.length} slowest files:`);
    console.table(slowest.map((times) => row(times)));
  }
}

function timesOf(module: TestModule): Times {
  const { collectDuration, setupDuration, prepareDuration, duration } = module.diagnostic();
  return {
    name: module.relativeModuleId,
    tests: [...module.children.allTests()].length,
    elapsedMs: collectDuration + setupDuration + prepareDuration + duration,
    processorMs: module.meta().processorMs ?? 0,
  };
}

function add(name: string, files: readonly Times[]): Times {
  const sum = (key: "tests" | "elapsedMs" | "processorMs") => files.reduce((total, file) => total + file[key], 0);
  return { name, tests: sum("tests"), elapsedMs: sum("elapsedMs"), processorMs: sum("processorMs") };
}

function row({ name, tests, elapsedMs, processorMs }: Times) {
  return { name, tests, "elapsed s": seconds(elapsedMs), "processor s": seconds(processorMs) };
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
