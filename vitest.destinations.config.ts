import { defineConfig } from "vitest/config";
import { keepTemporaryFilesInMemory } from "./testing/temporary-folder.js";

// The tests that need the package of destinations: `npm run test:destinations` installs it first.

keepTemporaryFilesInMemory();

export default defineConfig({
  resolve: { conditions: ["@muster/source"] },
  ssr: { resolve: { conditions: ["@muster/source"] } },
  test: {
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 240_000,
    projects: [
      {
        extends: true,
        test: {
          name: "destinations",
          include: ["connector-apps/destinations/src/**/*.installed.ts", "apps/server/src/**/*.installed.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["e2e/destinations/*.installed.ts"],
          globalSetup: ["testing/choose-seed.ts", "e2e/destinations/slack-server.ts"],
        },
      },
    ],
  },
});
