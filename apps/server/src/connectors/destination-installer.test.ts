// @module-tag long
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { installedDestinations } from "../testing/installed-destinations.js";
import { signInAs, signInByLink } from "../testing/signed-in.js";
import { withTestServer } from "../testing/test-server.js";
import { DestinationInstaller } from "./destination-installer.js";

const PATIENCE = { timeout: 90_000, interval: 50 };
const logger = pino({ level: "silent" });
const newFolder = () => mkdtempSync(join(tmpdir(), "muster-installer-"));

afterEach(() => void vi.unstubAllEnvs());

function open(folder: string, refusal?: string): DestinationInstaller {
  const installer = new DestinationInstaller({ folder, refusal, logger });
  onTestFinished(() => installer.close());
  return installer;
}

/** Installs and waits for the end. */
async function install(folder: string) {
  const installer = open(folder);
  expect(installer.start().state).toBe("installing");
  await vi.waitFor(() => expect(installer.state.state).not.toBe("installing"), PATIENCE);
  return installer.state;
}

test("what is installed already is found, and installing it again changes nothing", async () => {
  const folder = installedDestinations(newFolder());
  expect(open(folder).state).toMatchObject({ state: "installed", version: "3.497.0", is_current: true, refusal: null });
  expect(await install(folder)).toMatchObject({ state: "installed", problem: null });
  writeFileSync(join(folder, "installed.txt"), "the lock file of another version");
  expect(open(folder).state).toMatchObject({ state: "installed", is_current: false });
});

test("without npm it says so", async () => {
  vi.stubEnv("PATH", newFolder());
  const { state, problem } = await install(newFolder());
  expect(state).toBe("failed");
  expect(problem).toMatch(/^There is no npm on this machine, .* \(spawn npm ENOENT\)$/);
});

test("when the registry cannot be reached it says so, and another attempt may begin", async () => {
  // Nothing listens on this port.
  vi.stubEnv("npm_config_registry", "http://127.0.0.1:9/");
  vi.stubEnv("npm_config_fetch_retries", "0");
  const folder = newFolder();
  const { state, problem } = await install(folder);
  expect(state).toBe("failed");
  expect(problem).toMatch(/^npm's registry cannot be reached from this machine/);
  expect(problem).toContain("ECONNREFUSED");
  expect((await install(folder)).problem).toBe(problem);
});

test("while another process installs into the folder it says so", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "installing.txt"), String(process.ppid));
  expect((await install(folder)).problem).toContain(`is being installed already, by the process ${process.ppid}`);
});

test("a server that cannot install for all its machines refuses, with the command", () => {
  const installer = open(newFolder(), "Several processes share the work of this server.");
  expect(installer.state).toMatchObject({ state: "none", command: "npx muster destinations start" });
  expect(() => installer.start()).toThrow("Several processes share the work of this server.");
});

test("only the operator of the server may install, and the audit log says who did", async () => {
  await withTestServer({}, async (server) => {
    const call = (method: "GET" | "POST", headers: Record<string, string>) =>
      server.app.inject({ method, url: "/api/v1/catalogue/destinations", headers });
    const owner = await signInAs(server, "owner");
    for (const method of ["GET", "POST"] as const) {
      const refused = await call(method, owner.headers);
      expect(refused.statusCode).toBe(403);
      expect(refused.json().error.message).toContain("only the operator may do it");
    }
    const operator = await signInByLink(server);
    const started = await call("POST", operator.headers);
    expect([started.statusCode, started.json().state]).toEqual([202, "installing"]);
    await vi.waitFor(async () => {
      expect((await call("GET", operator.headers)).json().state).toBe("installed");
    }, PATIENCE);
    const audit = await server.app.inject({ url: "/api/v1/audit", headers: operator.headers });
    expect(audit.json()).toContainEqual(expect.objectContaining({ action: "POST /api/v1/catalogue/destinations" }));
  });
});
