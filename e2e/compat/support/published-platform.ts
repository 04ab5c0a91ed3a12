import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HullServer, type Installed } from "./hull-server.js";
import { PublishedApp } from "./published-app.js";
import { installPublishedLibrary } from "./published-library.js";

const LIBRARY = "hull@0.14.2";

/** A server and two connectors that run the published library: one for smart notifications and one for plain ones. */
export class PublishedPlatform {
  readonly #folder: string;
  #server: HullServer | undefined;
  #smart: PublishedApp | undefined;
  #plain: PublishedApp | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<PublishedPlatform> {
    const platform = new PublishedPlatform(await mkdtemp(join(tmpdir(), "muster-compat-")));
    try {
      await platform.#start();
      return platform;
    } catch (error) {
      await platform.close();
      throw error;
    }
  }

  get server(): HullServer {
    return started(this.#server);
  }

  get smart(): PublishedApp {
    return started(this.#smart);
  }

  get plain(): PublishedApp {
    return started(this.#plain);
  }

  /** A new organization with one of the connectors. */
  async install(namespace: string, app: "smart" | "plain" = "smart"): Promise<Installed> {
    await this.server.createOrganization(namespace);
    return this.server.install(namespace, this[app].url);
  }

  async close(): Promise<void> {
    await Promise.all([this.#smart?.stop(), this.#plain?.stop(), this.#server?.stop()]);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #start(): Promise<void> {
    const app = join(this.#folder, "app");
    this.#server = await HullServer.start(join(this.#folder, "data"));
    await installPublishedLibrary(app, LIBRARY);
    this.#smart = await PublishedApp.start(app, "smart");
    this.#plain = await PublishedApp.start(app, "plain");
  }
}

function started<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error("The platform has not been started.");
  return part;
}
