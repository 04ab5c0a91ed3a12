import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isInstalled } from "./can-test.js";
import { freePort } from "./free-port.js";

/** Whether there is a NATS server to test with, and what to say when there is none. */
export const HAS_NATS = isInstalled("nats-server");
export const NO_NATS =
  "The ingestion log in NATS is not tested: install nats-server (Debian: apt-get install nats-server).";

/** Servers of NATS with JetStream, as a cluster when there are several. They end with `close`. */
export interface NatsNodes {
  /** The addresses of all nodes, as NATS_URL has them. */
  url: string;
  /** Ends a node at once, as a power cut would. */
  kill(node: number): Promise<void>;
  /** Starts a node again, with what it had stored. */
  start(node: number): Promise<void>;
  /** Keeps a copy of what a stopped node has stored, and puts it back. */
  copyStore(node: number): Promise<void>;
  restoreStore(node: number): Promise<void>;
  close(): Promise<void>;
}

export interface NatsOptions {
  nodes?: number;
  /** More of the configuration of each node, such as accounts. */
  configuration?: string;
}

export async function startNats({ nodes = 1, configuration = "" }: NatsOptions = {}): Promise<NatsNodes> {
  const folder = await mkdtemp(join(tmpdir(), "muster-nats-"));
  const file = join(folder, "nats.conf");
  await writeFile(file, configuration);
  const ports: { client: number; cluster: number }[] = [];
  for (let node = 0; node < nodes; node++) ports.push({ client: await freePort(), cluster: await freePort() });
  const routes = ports.map(({ cluster }) => `nats://127.0.0.1:${cluster}`).join(",");
  const running: (ChildProcess | undefined)[] = [];

  const start = async (node: number) => {
    const { client, cluster } = ports[node]!;
    const clustered = ["--name", `node${node}`, "--cluster_name", "test", "--cluster", `nats://127.0.0.1:${cluster}`];
    const args = ["-c", file, "-js", "-sd", join(folder, String(node)), "-a", "127.0.0.1", "-p", String(client)];
    const child = spawn("nats-server", [...args, ...(nodes > 1 ? [...clustered, "--routes", routes] : [])], {
      stdio: "ignore",
    });
    running[node] = child;
    while (!(await answers(client))) {
      if (child.exitCode !== null) throw new Error(`nats-server has ended with ${child.exitCode}.`);
      await sleep(50);
    }
  };
  const kill = async (node: number) => {
    const child = running[node];
    running[node] = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  await Promise.all(ports.map((_, node) => start(node)));
  return {
    url: ports.map(({ client }) => `nats://127.0.0.1:${client}`).join(","),
    kill,
    start,
    copyStore: (node) => cp(join(folder, String(node)), join(folder, `copy-${node}`), { recursive: true }),
    async restoreStore(node) {
      await rm(join(folder, String(node)), { recursive: true, force: true });
      await cp(join(folder, `copy-${node}`), join(folder, String(node)), { recursive: true });
    },
    async close() {
      await Promise.all(ports.map((_, node) => kill(node)));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
