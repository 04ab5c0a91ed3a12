// @module-tag long
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { canTest, isInstalled } from "../../testing/can-test.js";
import { guideBlock } from "./kit/guide-block.js";
import { guidePages, readPage } from "./kit/guide-pages.js";
import type { SharedServer } from "./kit/page-server.js";
import { type BlockKind, readBlocks } from "./kit/read-blocks.js";
import { openSharedServer, runPage } from "./kit/run-page.js";
import { blocksNamedByTests } from "./kit/tests-that-name-blocks.js";

// Each page starts a server and many programs, which takes long on a busy machine.
vi.setConfig({ maxConcurrency: 3 });

/** Pages whose blocks another test runs, all of them. */
const RUN_ELSEWHERE: Record<string, string> = { "docs/cli.md": "commands-page.test.ts" };

const ALL = guidePages();
const PAGES = ALL.filter((page) => !(page in RUN_ELSEWHERE));
const RUNNABLE = canTest(
  isInstalled("curl") && isInstalled("bash"),
  "The blocks of the guides are not run: curl and bash are needed on the path.",
);

/** How many blocks of each page were run. */
const ran = new Map<string, number>();

describe.runIf(RUNNABLE)("the blocks of the guides", () => {
  let shared: SharedServer;
  beforeAll(async () => {
    shared = await openSharedServer();
  });
  afterAll(() => shared?.close());

  describe.concurrent("run from top to bottom", () => {
    test.each(PAGES)("%s", async (page) => {
      ran.set(page, await runPage(page, shared));
    });
  });

  describe("all of them", () => {
    test("start the server with the same commands on the first page as in the quick start", () => {
      expect(readPage("docs/quick-start.md")).toContain(`\n${guideBlock("README.md", "start")}`);
    });

    test("are run, or are named by the test that runs them", () => {
      const blocks = ALL.flatMap((page) => readBlocks(page, readPage(page)).blocks);
      const named = blocks.filter(({ kind }) => kind === "named");
      const ofOthers = named.length + blocks.filter(({ page }) => page in RUN_ELSEWHERE).length;
      const elsewhere = blocksNamedByTests();
      const unnamed = named.filter(({ page, name }) => !elsewhere.has(`${page}#${name}`));
      expect(unnamed.map(({ page, line, name }) => `${page}:${line}: no test runs the block "${name}".`)).toEqual([]);

      for (const [page, file] of Object.entries(RUN_ELSEWHERE)) {
        expect(readFileSync(new URL(file, import.meta.url), "utf8")).toContain(`readPage("${page}")`);
      }

      const runHere = [...ran.values()].reduce((sum, count) => sum + count, 0);
      const count = (wanted: BlockKind) => blocks.filter(({ kind }) => kind === wanted).length;
      console.log(
        `Guides: ${blocks.length} blocks on ${ALL.length} pages, ${runHere + ofOthers} of them run ` +
          `(${count("run")} sh, ${count("file")} files, ${count("output")} outputs, ` +
          `${count("query") + count("predicate")} queries, ${ofOthers} of all by other tests).`,
      );
      expect(runHere + ofOthers).toBe(blocks.length);
    });
  });
});
