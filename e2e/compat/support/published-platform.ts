import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HullServer, type Installed } from "./hull-server.js";
import { PublishedApp } from "./published-app.js";
import { installPublishedLibrary } from "./published-library.js";

const LIBRARY = "hull@0.14.2";

/** A server and two connectors that run the published library: one for smart notifications and one for plain ones. */
export class PublishedPlatform {
  readonly server: HullServer;
  readonly smart: PublishedApp;
  readonly plain: PublishedApp;
  readonly #folder: string;

  private constructor(folder: string, server: HullServer, smart: PublishedApp, plain: PublishedApp) {
    this.#folder = folder;
    this.server = server;
    this.smart = smart;
    this.plain = plain;
  }

  static async open(): Promise<PublishedPlatform> {
    const folder = await mkdtemp(join(tmpdir(), "muster-compat-"));
    const [server] = await Promise.all([
      HullServer.start(join(folder, "data")),
      installPublishedLibrary(join(folder, "app"), LIBRARY),
    ]);
    const start = (manifest: "smart" | "plain") => PublishedApp.start(join(folder, "app"), manifest);
    const [smart, plain] = await Promise.all([start("smart"), start("plain")]);
    return new PublishedPlatform(folder, server, smart, plain);
  }

  /** A new organization with one of the connectors. */
  async install(namespace: string, app: "smart" | "plain" = "smart"): Promise<Installed> {
    await this.server.createOrganization(namespace);
    return this.server.install(namespace, this[app].url);
  }

  async close(): Promise<void> {
    await Promise.all([this.smart.stop(), this.plain.stop(), this.server.stop()]);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
