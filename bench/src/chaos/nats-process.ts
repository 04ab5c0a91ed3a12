import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../lib/free-port.js";

/** A NATS server with JetStream that can lose the end of what it has stored. */
export class NatsProcess {
  readonly #folder: string;
  readonly #port: number;
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  static async start(folder: string): Promise<NatsProcess> {
    const nats = new NatsProcess(folder, await freePort());
    await nats.start();
    return nats;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const args = ["-js", "-sd", this.#store, "-a", "127.0.0.1", "-p", String(this.#port)];
    this.#process = spawn("nats-server", args, { stdio: "ignore" });
    while (!(await answers(this.#port))) {
      if (this.#process.exitCode !== null) throw new Error(`nats-server has ended with ${this.#process.exitCode}.`);
      await sleep(50);
    }
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  /** Keeps a copy of what is stored now. The server stands still meanwhile, so that no file is copied in parts. */
  async copyStore(): Promise<void> {
    this.#process?.kill("SIGSTOP");
    await cp(this.#store, this.#copy, { recursive: true });
    this.#process?.kill("SIGCONT");
  }

  /** Puts the copy back. The server must be killed. */
  async restoreStore(): Promise<void> {
    await rm(this.#store, { recursive: true, force: true });
    await cp(this.#copy, this.#store, { recursive: true });
  }

  get #store(): string {
    return join(this.#folder, "nats");
  }

  get #copy(): string {
    return join(this.#folder, "nats-copy");
  }
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
