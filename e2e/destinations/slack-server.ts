import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestProject } from "vitest/node";
import { freePort } from "../../testing/free-port.js";
import { REPOSITORY, startMuster } from "../support/muster-process.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the calls of the service are kept: a call of `GET /` answers them. */
    slackCalls: string;
  }
}

const ADMIN_TOKEN = "operator-token-of-the-destination-tests";

/**
 * Starts a server with the installed package, in which Slack is the package's own code with another network: its requests go to
 * this process, since nothing of a test leaves the machine.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const build = [join(REPOSITORY, "scripts/build.js"), "server", "command", "packages", "dashboard"];
  execFileSync(process.execPath, build, { stdio: "inherit" });
  const folder = mkdtempSync(join(tmpdir(), "muster-destinations-"));
  const calls: { url: string; body: unknown }[] = [];
  const recorder = createServer(async (request, response) => {
    if (request.method === "GET") {
      response.end(JSON.stringify(calls));
      return;
    }
    const sent = await text(request);
    calls.push({ url: String(request.headers["x-recorded-url"]), body: JSON.parse(sent) });
    // The text of a message decides what the service answers to it.
    const [, status = "200"] = /answer (\d{3})/.exec(sent) ?? [];
    response.writeHead(Number(status)).end(status === "200" ? "ok" : "invalid_payload");
  });
  const recorderPort = await freePort();
  recorder.listen(recorderPort, "127.0.0.1");
  const muster = startMuster({
    dataDir: join(folder, "data"),
    port: await freePort(),
    command: [process.execPath, "apps/server/bundle/main.js", "--json"],
    environment: {
      LOG_LEVEL: "error",
      MUSTER_ADMIN_TOKEN: ADMIN_TOKEN,
      ALLOW_PRIVATE_NETWORK: "true",
      // A message that is to blame becomes a dead letter within a second.
      DELIVERY_RETRY_MS: "20",
      DELIVERY_ATTEMPTS: "2",
      DESTINATIONS_DIR: installationWithSlack(folder, recorderPort),
      UV_THREADPOOL_SIZE: "16",
    },
  });
  await muster.ready();
  project.provide("sharedServer", { url: muster.url, adminToken: ADMIN_TOKEN, users: 0 });
  project.provide("slackCalls", `http://127.0.0.1:${recorderPort}/`);
  return async () => {
    muster.kill("SIGTERM");
    await muster.ended;
    recorder.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

function installationWithSlack(folder: string, recorderPort: number): string {
  const installed = process.env.DESTINATIONS_INSTALLATION ?? "";
  const own = join(folder, "destinations");
  mkdirSync(join(own, "own/slack"), { recursive: true });
  symlinkSync(join(installed, "node_modules"), join(own, "node_modules"));
  for (const name of ["records", "catalogue.json", "package.json"]) {
    cpSync(join(installed, name), join(own, name), { recursive: true });
  }
  writeFileSync(
    join(own, "own/slack/index.js"),
    `const http = require("node:http");
require("node:https").request = (options) => http.request({
  method: options.method, host: "127.0.0.1", port: ${recorderPort}, path: "/",
  headers: { ...options.headers, "x-recorded-url": "https://" + options.hostname + options.path },
});
exports.default = require("@segment/action-destinations/dist/destinations/slack").default;`,
  );
  return own;
}
