import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Refusal } from "@muster/protocol";
import { PACKAGE_FOLDER } from "../../../runtime/package-folder.js";

/** `scripts/builds/packages.js` writes the archives there. */
const FOLDER = join(PACKAGE_FOLDER, "packages");
/** Every archive that there is. What a request names is looked up here and is never part of a path. */
const NAMES = ["client", "connector", "browser", "cli"];
const RETRY_AFTER_SECONDS = 5;

export interface Archive {
  /** The last part of its address, such as `client.tgz`. */
  file: string;
  /** The name of the package. */
  name: string;
  content: Buffer;
  /** The checksum in the form that npm uses: `sha512-…`. */
  integrity: string;
}

/** The archives of our packages. They are read at the first request, a few hundred kilobytes in all, and stay in memory. */
export class ServedPackages {
  readonly #folder: string;
  #archives: Promise<readonly Archive[]> | undefined;

  constructor(folder = FOLDER) {
    this.#folder = folder;
  }

  all(): Promise<readonly Archive[]> {
    if (this.#archives) return this.#archives;
    const archives = Promise.all(NAMES.map((name) => this.#read(name)));
    this.#archives = archives;
    // `npm start` builds them beside the server, so they may be there at the next request.
    archives.catch(() => {
      this.#archives = undefined;
    });
    return archives;
  }

  async find(file: string): Promise<Archive> {
    const archives = await this.all();
    const found = archives.find((archive) => archive.file === file);
    if (found) return found;
    throw new Refusal(
      "not_found",
      `There is no such package. This server has ${archives.map((archive) => archive.file).join(", ")}.`,
    );
  }

  async #read(name: string): Promise<Archive> {
    const file = `${name}.tgz`;
    try {
      const content = await readFile(join(this.#folder, file));
      const integrity = `sha512-${createHash("sha512").update(content).digest("base64")}`;
      return { file, name: `@muster/${name}`, content, integrity };
    } catch (cause) {
      throw new Refusal(
        "unavailable",
        "The packages are not built. `npm start` builds them in a few seconds beside the server, `npm run build` builds them too.",
        { cause, retryAfter: RETRY_AFTER_SECONDS },
      );
    }
  }
}
