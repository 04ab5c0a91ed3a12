import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Brand, Refusal } from "@muster/protocol";
import { PAGES_API } from "@muster/protocol/api/pages";
import { VERSION } from "../../../runtime/version.js";
import type { App } from "../../app-type.js";

const SCRIPT = new URL(import.meta.resolve("@muster/browser/muster.js"));
const BRAND_PLACE = "__MUSTER_BRAND__";
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** The script of the browser library, with the brand word of this server. */
export class BrowserScript {
  readonly version = VERSION;
  readonly #brand: Brand;
  #text: Promise<string> | undefined;

  constructor(brand: Brand) {
    this.#brand = brand;
  }

  text(): Promise<string> {
    this.#text ??= this.#read().catch((error: unknown) => {
      this.#text = undefined;
      throw error;
    });
    return this.#text;
  }

  /** The integrity hash by which a page makes sure that the script was not changed. */
  async integrity(): Promise<string> {
    return `sha384-${createHash("sha384")
      .update(await this.text())
      .digest("base64")}`;
  }

  async #read(): Promise<string> {
    try {
      return (await readFile(SCRIPT, "utf8")).replaceAll(BRAND_PLACE, this.#brand.word);
    } catch (cause) {
      throw new Refusal("unavailable", "The browser library is not built. Run `npm run build`.", { cause });
    }
  }
}

/** `/js/<version>/muster.js` never changes and is kept by browsers for a year; `/js/latest/muster.js` for five minutes. */
export function scriptRoutes(app: App, script: BrowserScript): void {
  app.get(
    "/js/:version/muster.js",
    {
      config: { access: "open" },
      schema: {
        tags: ["browser"],
        summary: "The script of the browser library",
        ...PAGES_API["GET /js/{version}/muster.js"],
      },
    },
    async ({ params: { version } }, reply) => {
      if (version !== "latest" && version !== script.version) {
        throw new Refusal("not_found", `This server has version ${script.version} of the script.`);
      }
      const age = version === "latest" ? "max-age=300" : `max-age=${YEAR_SECONDS}, immutable`;
      return reply
        .headers({
          "content-type": "text/javascript; charset=utf-8",
          "cache-control": `public, ${age}`,
          // Pages of all sites load the script. It is the same for everybody.
          "access-control-allow-origin": "*",
          "cross-origin-resource-policy": "cross-origin",
        })
        .send(await script.text());
    },
  );
}
