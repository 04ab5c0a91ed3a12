import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { DESTINATION_NAME } from "../destination-name.js";
import type { Core, Definition, Triggers } from "./definition.js";

const PACKAGE = "@segment/action-destinations";
/** The folder of an installation with destinations that people wrote themselves. */
export const OWN_FOLDER = "own";

/** The installed package. It loads what is asked for, because the whole takes five seconds and 150 MB. */
export class DestinationPackage {
  readonly #folder: string;
  readonly #require: NodeJS.Require;

  constructor(folder: string) {
    this.#folder = folder;
    this.#require = createRequire(join(folder, "package.json"));
  }

  get version(): string {
    return (this.#require(`${PACKAGE}/package.json`) as { version: string }).version;
  }

  /** The core is that of the package: two copies would not recognise each other's errors. */
  get core(): Core {
    return this.#requireBeside("@segment/actions-core") as Core;
  }

  get triggers(): Triggers {
    return this.#requireBeside("@segment/destination-subscriptions") as Triggers;
  }

  /** Loads one destination, by the name of its folder. One of the operator's own replaces that of the package. */
  load(name: string): Definition {
    if (!DESTINATION_NAME.test(name)) throw new Error(`"${name}" is no name of a destination.`);
    const own = join(this.#folder, OWN_FOLDER, name);
    const path = existsSync(own) ? own : `${PACKAGE}/dist/destinations/${name}`;
    const { default: definition } = this.#require(path) as { default?: Definition };
    if (!definition || typeof definition.actions !== "object") throw new Error(`"${name}" is no destination.`);
    return definition;
  }

  /** Loads the whole package, to describe it. */
  loadAll(): Map<string, Definition> {
    const { manifest } = this.#require(PACKAGE) as {
      manifest: Record<string, { definition: Definition; directory: string }>;
    };
    return new Map(Object.values(manifest).map(({ directory, definition }) => [directory, definition]));
  }

  #requireBeside(name: string): unknown {
    const from = createRequire(this.#require.resolve(PACKAGE));
    return from(name);
  }
}
