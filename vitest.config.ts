import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["@muster/source"] },
  ssr: { resolve: { conditions: ["@muster/source"] } },
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "apps/*/src/**/*.test.ts",
      "connector-apps/*/src/**/*.test.ts",
      "e2e/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    exclude: ["**/node_modules/**", "**/dist/**"],
    globalSetup: ["apps/server/src/testing/global-setup.ts"],
    // The engines are native and hold one data directory a process: each file gets a process of its own.
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
