import { Breather } from "../../runtime/loops/breather.js";
import { isBuilt, type Thread, type Threads } from "../../runtime/threads/threads.js";
import type { App } from "../app-type.js";
import type { ApiDescription } from "./openapi.js";
import {
  type DescribedRoute,
  type ReferenceFormat,
  type ReferenceThreadCalls,
  writeReference,
} from "./write-reference.js";

export interface ReferenceOptions extends ApiDescription {
  threads: Threads;
}

const KIND = {
  name: "reference",
  start: new URL("./thread/reference-thread.js", import.meta.url),
  limits: { maxOldGenerationSizeMb: 512 },
};

/**
 * The OpenAPI document of the routes that are registered after it was made. Anybody may ask for it, and writing it takes
 * seconds, so a thread writes it when it is asked for first.
 */
export class Reference {
  readonly #options: ReferenceOptions;
  readonly #routes: DescribedRoute[] = [];
  readonly #written = new Map<ReferenceFormat, Promise<Buffer>>();
  #thread: Thread<ReferenceThreadCalls> | undefined;

  constructor(app: App, options: ReferenceOptions) {
    this.#options = options;
    app.addHook("onRoute", ({ method, url, schema = {}, config = {} }) => {
      if (!schema.hide && method !== "HEAD") this.#routes.push({ method, url, schema, config });
    });
    app.addHook("onClose", () => this.#thread?.end());
  }

  /** The text of the document. */
  read(format: ReferenceFormat): Promise<Buffer> {
    const known = this.#written.get(format);
    if (known) return known;
    const written = this.#write(format);
    this.#written.set(format, written);
    // The next request tries again.
    written.catch(() => this.#written.delete(format));
    return written;
  }

  async #write(format: ReferenceFormat): Promise<Buffer> {
    const { version, brand, threads } = this.#options;
    const order = { format, version, brandWord: brand.word, routes: await this.#routesAsJson() };
    // The sources have no file that a thread could run.
    if (!isBuilt(KIND.start)) return Buffer.from(await writeReference(order));
    const thread = threads.start<ReferenceThreadCalls>(KIND);
    this.#thread = thread;
    try {
      return Buffer.from(await thread.calls.ask("write", [order]));
    } finally {
      await thread.end();
    }
  }

  /** The schemas of all routes have more than a megabyte. */
  async #routesAsJson(): Promise<string[]> {
    const breather = new Breather();
    const texts: string[] = [];
    for (const route of this.#routes) {
      if (breather.isDue) await breather.pause();
      texts.push(JSON.stringify(route));
    }
    return texts;
  }
}
