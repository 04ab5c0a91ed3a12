import fc from "fast-check";
import { inject } from "vitest";
import type {} from "./choose-seed.js";

// Vitest runs this before each test file. All properties of a test run use the seed that was printed at its start.
fc.configureGlobal({ seed: inject("seed") });
