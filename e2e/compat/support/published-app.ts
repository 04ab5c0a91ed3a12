import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { freePort } from "../../../testing/free-port.js";
import { CERTIFICATE_FILE, type Installed } from "./hull-server.js";
import { PATIENCE } from "./patience.js";

/** What the connector says that it received. */
export interface Received<Content = unknown> {
  kind: string;
  at: number;
  /** The record of the connector, as the library has it in the context of the request. */
  ship: { id: string; private_settings: Record<string, unknown> };
  segments: { id: string; name: string }[];
  received: Content;
}

/** The messages of the channel `user:update`, as far as the tests read them. */
export interface UserMessage {
  user: Record<string, unknown>;
  account?: Record<string, unknown>;
  segments: { id: string; name: string }[];
  changes: Record<string, unknown>;
  events: Record<string, unknown>[];
  matchesFilter: boolean;
}

/** A member of the context that the library makes, and the arguments if it is called. */
export type Step = [member: string, ...args: unknown[]];

/** A connector that runs the published library, as a process of its own. */
export class PublishedApp {
  readonly url: string;
  readonly #reports: Received[] = [];
  readonly #process: ChildProcess;
  #output = "";

  private constructor(port: number, child: ChildProcess) {
    this.url = `http://127.0.0.1:${port}`;
    this.#process = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.#output += chunk.toString();
      });
    }
    child.on("message", (report) => this.#reports.push(report as Received));
  }

  /** Starts the connector that is installed in `folder`, with the manifest of one of its folders. */
  static async start(folder: string, manifest: "smart" | "plain"): Promise<PublishedApp> {
    const port = await freePort();
    const child = fork(join(folder, "app.cjs"), {
      cwd: join(folder, manifest),
      silent: true,
      execArgv: ["--require", join(folder, "names.cjs")],
      env: { ...process.env, PORT: String(port), NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE },
    });
    const app = new PublishedApp(port, child);
    const ended = once(child, "exit").then(() => {
      throw new Error(`The connector ended before it listened:\n${app.#output}`);
    });
    await Promise.race([app.until("listening", () => true), ended]);
    ended.catch(() => {});
    return app;
  }

  /** All that was received of one kind by an installation. */
  of<Content = UserMessage[]>(kind: string, installed: Installed): Received<Content>[] {
    return this.#reports.filter((report) => report.kind === kind && report.ship.id === installed.id) as never;
  }

  /** The messages about one user, in the order of their arrival. */
  about(installed: Installed, externalId: string, kind = "user:update"): UserMessage[] {
    return this.of(kind, installed)
      .flatMap(({ received }) => received)
      .filter(({ user }) => user.external_id === externalId);
  }

  /** Waits until a report fulfils a condition, and returns it. */
  until<Content = UserMessage[]>(kind: string, check: (report: Received<Content>) => boolean) {
    return vi.waitFor(() => {
      const found = this.#reports.find((report) => report.kind === kind && check(report as Received<Content>));
      expect(found, this.#output.slice(-2_000)).toBeDefined();
      return found as Received<Content>;
    }, PATIENCE);
  }

  /** Runs steps on the context of a request that has the credentials in its query. Throws what the library throws. */
  async run<Result>({ id, secret, organization }: Installed, ...steps: Step[]): Promise<Result> {
    const answer = await this.get({ ship: id, secret, organization }, "/context", { steps });
    const { value, message } = (await answer.json()) as { value: Result; message?: string };
    if (!answer.ok) throw new Error(message);
    return value;
  }

  /** A request to the connector: with a body it is a POST. */
  get(query: Record<string, string>, path: string, body?: object): Promise<Response> {
    return fetch(`${this.url}${path}?${new URLSearchParams(query)}`, {
      redirect: "manual",
      ...(body ? { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {}),
    });
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }
}
