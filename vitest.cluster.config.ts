import { defineConfig } from "vitest/config";

// Tests of several processes that work together. They take many minutes, so `npm test` does not run them.
export default defineConfig({
  resolve: { conditions: ["@muster/source"] },
  ssr: { resolve: { conditions: ["@muster/source"] } },
  test: {
    include: ["bench/src/cluster/*.test.ts"],
    globalSetup: ["testing/choose-seed.ts", "testing/build-programs.ts"],
    pool: "forks",
    // What happens is printed while it happens.
    disableConsoleIntercept: true,
  },
});
