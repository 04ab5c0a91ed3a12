import { defineConfig } from "vitest/config";
import { keepTemporaryFilesInMemory } from "./testing/temporary-folder.js";

// The tests that need the package of destinations: `npm run test:destinations` installs it first.

keepTemporaryFilesInMemory();

export default defineConfig({
  resolve: { conditions: ["@muster/source"] },
  ssr: { resolve: { conditions: ["@muster/source"] } },
  test: {
    include: ["connector-apps/destinations/src/**/*.installed.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
