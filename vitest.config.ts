import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { findLongTests } from "./scripts/long-tests.js";
import { keepTemporaryFilesInMemory } from "./testing/temporary-folder.js";

keepTemporaryFilesInMemory();

const leftOut = process.env.LEAVE_OUT_LONG_TESTS ? findLongTests(fileURLToPath(new URL(".", import.meta.url))) : [];

/** Packages see one another's sources, so tests need no build of them. */
const fromSources = { resolve: { conditions: ["@muster/source"] } };

export default defineConfig({
  ...fromSources,
  ssr: fromSources,
  // Global set-ups run in this one.
  environments: { __vitest__: fromSources },
  test: {
    exclude: ["**/node_modules/**", "**/dist/**", ...leftOut],
    setupFiles: ["testing/note-processor-time.ts", "testing/configure-fast-check.ts"],
    reporters: ["default", "./testing/time-report.ts"],
    tags: [{ name: "long", description: "Left out by `npm test`, see scripts/long-tests.js." }],
    // A crash of a native engine ends a process, not the run. Files share the processes, because loading the server again
    // for each of them took a third of the time. Every test has databases and folders of its own.
    pool: "forks",
    isolate: false,
    // Keeps transformed modules in node_modules, by their content: the next run of one file takes a quarter less.
    experimental: { fsModuleCache: true },
    // Tests wait for pages, for timers and for other processes half of their time, so four files keep two cores busy.
    maxWorkers: 4,
    // Node reads the certificates in this file at each start, which takes three times as long as the rest of the start. Programs
    // that tests start call this machine alone. Only npm calls others: `withNetwork()` gives the file back to it.
    env: { NODE_EXTRA_CA_CERTS: "", NETWORK_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS ?? "" },
    // Against tests that never end. A machine that is shared may be several times slower for a while.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    projects: [
      {
        extends: true,
        test: {
          name: "muster",
          include: [
            "packages/*/src/**/*.test.ts",
            "apps/*/src/**/*.test.ts",
            "bench/src/**/*.test.ts",
            "connector-apps/*/src/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**", "**/dist/**", "bench/src/cluster/**", ...leftOut],
          globalSetup: ["testing/choose-seed.ts", "apps/server/src/testing/global-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          // These start built programs. Projects run in the order of their names, so these long files come before the many short ones.
          name: "e2e",
          include: ["e2e/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/dist/**", "e2e/browser/**", "e2e/dashboard/**", ...leftOut],
          globalSetup: [
            "testing/choose-seed.ts",
            "testing/run-folder.ts",
            "testing/build-programs.ts",
            "apps/server/src/testing/global-setup.ts",
          ],
        },
      },
      {
        extends: true,
        test: {
          // One server serves all files of this project, which use it in a browser.
          name: "browser",
          include: ["e2e/browser/**/*.test.ts", "e2e/dashboard/**/*.test.ts"],
          globalSetup: ["testing/choose-seed.ts", "testing/build-programs.ts", "e2e/dashboard/kit/shared-server.ts"],
        },
      },
    ],
  },
});
