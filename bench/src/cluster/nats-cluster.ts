import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../lib/free-port.js";

const NODES = 3;
const START_LIMIT_MS = 60_000;

interface Node {
  name: string;
  /** Where clients connect, where the other nodes connect, and where the node says how it is. */
  ports: { client: number; route: number; monitor: number };
  configFile: string;
  process: ChildProcess | undefined;
}

/** Three NATS servers with JetStream that replicate to one another. */
export class NatsCluster {
  readonly #nodes: Node[];

  private constructor(nodes: Node[]) {
    this.#nodes = nodes;
  }

  static async open(folder: string): Promise<NatsCluster> {
    const nodes: Node[] = [];
    for (let index = 0; index < NODES; index++) {
      const ports = { client: await freePort(), route: await freePort(), monitor: await freePort() };
      const name = `node-${index}`;
      nodes.push({ name, ports, configFile: join(folder, `${name}.conf`), process: undefined });
    }
    const routes = nodes.map(({ ports }) => `nats://127.0.0.1:${ports.route}`).join(", ");
    for (const { name, ports, configFile } of nodes) {
      const store = join(folder, name);
      await mkdir(store, { recursive: true });
      await writeFile(
        configFile,
        `server_name: ${name}
host: 127.0.0.1
port: ${ports.client}
http: "127.0.0.1:${ports.monitor}"
jetstream { store_dir: "${store}" }
cluster { name: muster, host: 127.0.0.1, port: ${ports.route}, routes: [${routes}] }
`,
      );
    }
    const cluster = new NatsCluster(nodes);
    for (const node of nodes) cluster.#spawn(node);
    for (const node of nodes) await untilHealthy(node);
    return cluster;
  }

  /** The addresses of all nodes, as a setting has them. */
  get url(): string {
    return this.#nodes.map(({ ports }) => `nats://127.0.0.1:${ports.client}`).join(",");
  }

  get names(): string[] {
    return this.#nodes.map(({ name }) => name);
  }

  get pids(): number[] {
    return this.#nodes.map(({ process }) => process?.pid ?? 0);
  }

  async kill(name: string): Promise<void> {
    await end(this.#find(name), "SIGKILL");
  }

  /** Starts a node again, and waits until it has caught up. */
  async restart(name: string): Promise<void> {
    const node = this.#find(name);
    this.#spawn(node);
    await untilHealthy(node);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => end(node, "SIGTERM")));
  }

  #find(name: string): Node {
    const node = this.#nodes.find((one) => one.name === name);
    if (!node) throw new Error(`There is no node ${name}.`);
    return node;
  }

  #spawn(node: Node): void {
    node.process = spawn("nats-server", ["-c", node.configFile], { stdio: "ignore" });
  }
}

async function end({ process: child }: Node, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

async function untilHealthy({ name, ports }: Node): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${ports.monitor}/healthz`).catch(() => undefined);
    const text = await answer?.text();
    if (answer?.ok) return;
    if (Date.now() > deadline) throw new Error(`The NATS server ${name} is not healthy: ${text ?? "no answer"}.`);
    await sleep(100);
  }
}
