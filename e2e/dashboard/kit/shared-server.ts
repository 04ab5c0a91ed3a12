import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { freePort } from "../../../testing/free-port.js";
import { sized } from "../../../testing/test-length.js";
import { MUSTER, type MusterProcess, startMuster } from "../../support/muster-process.js";
import { personOf } from "./people.js";

declare module "vitest" {
  interface ProvidedContext {
    sharedServer: { url: string; adminToken: string; users: number };
  }
}

/** More than any screen shows at once. `npm run bench -- dashboard` measures the list of a million users. */
const USERS = sized(2_000, 200_000);
const ADMIN_TOKEN = "operator-token-of-the-browser-tests";

/** Starts one server for all tests with a browser and imports the demo users into its first organization. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "muster-browser-"));
  const muster = startMuster({
    dataDir: join(folder, "data"),
    port: await freePort(),
    command: [process.execPath, "apps/server/bundle/main.js", "--json"],
    environment: {
      LOG_LEVEL: "error",
      MUSTER_ADMIN_TOKEN: ADMIN_TOKEN,
      ALLOW_PRIVATE_NETWORK: "true",
      // A message that a connector refuses becomes a dead letter within a second.
      DELIVERY_RETRY_MS: "20",
      DELIVERY_ATTEMPTS: "2",
      UV_THREADPOOL_SIZE: "16",
    },
  });
  await muster.ready();
  await importPeople(muster, folder);
  project.provide("sharedServer", { url: muster.url, adminToken: ADMIN_TOKEN, users: USERS });
  return async () => {
    muster.kill("SIGTERM");
    await muster.ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

async function importPeople({ url }: MusterProcess, folder: string): Promise<void> {
  const file = join(folder, "people.ndjson");
  await pipeline(Readable.from(lines()), createWriteStream(file));
  await promisify(execFile)(process.execPath, [MUSTER, "import", "users", file], {
    env: { ...process.env, MUSTER_URL: url, MUSTER_ADMIN_TOKEN: ADMIN_TOKEN },
  });
}

function* lines(): Generator<string> {
  for (let n = 0; n < USERS; n++) yield `${JSON.stringify(personOf(n))}\n`;
}
