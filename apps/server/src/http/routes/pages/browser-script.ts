import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Brand, Refusal } from "@muster/protocol";
import { VERSION } from "../../../runtime/version.js";

const SCRIPT = new URL(import.meta.resolve("@muster/browser/muster.js"));
/** A file for each released version, and their checksums. `scripts/keep-release.js` adds to it. */
const RELEASES = new URL("../releases/", SCRIPT);
const BRAND_PLACE = "__MUSTER_BRAND__";
const LISTED = /^([0-9a-f]{64}) {2}(\d+\.\d+\.\d+)\.js$/;
const GIVEN = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/;

export interface BrowserScriptOptions {
  /** The version of this server. */
  version: string;
  /** The folder of released scripts. Its address ends with a slash. */
  releases: URL;
}

export interface ServedScript {
  text: string;
  /** The address always has this text. */
  isFixed: boolean;
}

/** The script of the browser library in this version and in all released ones, with the brand word of this server. */
export class BrowserScript {
  readonly version: string;
  readonly #brand: Brand;
  readonly #releases: URL;
  readonly #texts = new Map<string, Promise<string>>();
  #listed: Promise<Map<string, string>> | undefined;

  constructor(brand: Brand, { version = VERSION, releases = RELEASES }: Partial<BrowserScriptOptions> = {}) {
    this.#brand = brand;
    this.version = version;
    this.#releases = releases;
  }

  /**
   * The script of a version, or of the `latest` one. A released version is what it was at its release. A version that was never released, of the same
   * major version and not newer than this server, gets the present script: a page that was tried with it goes on.
   */
  async serve(version: string): Promise<ServedScript> {
    const wanted = version === "latest" ? this.version : version;
    const checksum = (await this.#checksums()).get(wanted);
    if (checksum !== undefined) return { text: await this.#released(wanted, checksum), isFixed: version !== "latest" };
    if (wanted !== this.version && !isOlder(wanted, this.version)) {
      throw new Refusal(
        "not_found",
        `This server has version ${this.version} of the script, and the versions of the same major version that were released before.`,
      );
    }
    return { text: await this.#kept("", () => this.#read(SCRIPT)), isFixed: false };
  }

  /** The script that this version serves under its own address. */
  async current(): Promise<ServedScript & { integrity: string }> {
    const served = await this.serve(this.version);
    const digest = createHash("sha384").update(served.text).digest("base64");
    return { ...served, integrity: `sha384-${digest}` };
  }

  #released(version: string, checksum: string): Promise<string> {
    return this.#kept(version, async () => {
      const text = await this.#read(new URL(`${version}.js`, this.#releases));
      const found = createHash("sha256").update(text).digest("hex");
      if (found === checksum) return text;
      throw new Refusal(
        "unavailable",
        `The file of version ${version} of the script is not the one that was released.`,
      );
    });
  }

  #kept(version: string, read: () => Promise<string>): Promise<string> {
    const known = this.#texts.get(version);
    if (known) return known;
    const text = read().then((found) => found.replaceAll(BRAND_PLACE, this.#brand.word));
    this.#texts.set(version, text);
    text.catch(() => this.#texts.delete(version));
    return text;
  }

  #checksums(): Promise<Map<string, string>> {
    this.#listed ??= readFile(new URL("SHA256SUMS", this.#releases), "utf8").then(
      (sums) =>
        new Map(
          sums.split("\n").flatMap((line) => {
            const [, checksum, version] = LISTED.exec(line) ?? [];
            return checksum !== undefined && version !== undefined ? [[version, checksum]] : [];
          }),
        ),
    );
    return this.#listed;
  }

  async #read(file: URL): Promise<string> {
    try {
      return await readFile(file, "utf8");
    } catch (cause) {
      throw new Refusal("unavailable", "The browser library is not built. Run `npm run build`.", { cause });
    }
  }
}

/** Whether a version is older than another one with the same major version. */
function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => GIVEN.exec(text)?.slice(1).map(Number));
  if (!one || !other || one[0] !== other[0]) return false;
  return one[1]! < other[1]! || (one[1] === other[1] && one[2]! < other[2]!);
}
