import { randomInt } from "node:crypto";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The seed of everything random that decides what a test run tests. */
    seed: number;
  }
}

const MAX_SEED = 2 ** 31 - 1;

/** Chooses the seed of the test run, or takes it from the environment, and prints it so that the run can be repeated. */
export default function setup(project: TestProject): void {
  const seed = readSeed(process.env.FAST_CHECK_SEED) ?? randomInt(MAX_SEED);
  console.log(`The seed of this test run is ${seed}. To test the same cases again, set FAST_CHECK_SEED=${seed}.`);
  project.provide("seed", seed);
}

function readSeed(given: string | undefined): number | undefined {
  if (given === undefined || given === "") return undefined;
  const seed = Number(given);
  if (Number.isInteger(seed) && Math.abs(seed) <= MAX_SEED) return seed;
  throw new Error(`FAST_CHECK_SEED must be an integer of at most 31 bits, not "${given}".`);
}
