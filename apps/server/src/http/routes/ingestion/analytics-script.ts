import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { PAGES_API } from "@muster/protocol/api/pages";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { App } from "../../app-type.js";
import { acceptsGzip } from "../accepts-gzip.js";
import { notFound } from "../not-found.js";

const LIBRARY = "standalone.js";
const PART = /^[\w-]+\.bundle\.[0-9a-f]{8,64}\.js$/;

/**
 * Tells the library which server it came from. It finds that out by itself only where the address begins with https, and
 * otherwise asks the servers of its authors for the settings. A page that has said `analytics._cdn` is left alone.
 */
const ORIGIN_NOTE = `!function(){var s=document.currentScript,g=s&&s.dataset.globalSegmentAnalyticsKey||"analytics",a=window[g]=window[g]||[];if(s&&s.src&&!a._cdn)a._cdn=s.src.split("/analytics.js/v1/")[0]}();\n`;

interface ScriptFile {
  plain: Buffer;
  compressed: Buffer;
}

/** The files of the public library analytics.js, as its package has them. */
export class AnalyticsScript {
  readonly #folder: string;
  #files: Promise<ReadonlyMap<string, ScriptFile>> | undefined;

  constructor(folder = findFolder()) {
    this.#folder = folder;
  }

  async library(): Promise<ScriptFile> {
    return (await this.#all()).get(LIBRARY)!;
  }

  /** A part that the library loads when a page uses it. */
  async part(name: string): Promise<ScriptFile | undefined> {
    return (await this.#all()).get(name);
  }

  #all(): Promise<ReadonlyMap<string, ScriptFile>> {
    const files = this.#files ?? this.#read();
    this.#files = files;
    // The next request tries again.
    files.catch(() => {
      this.#files = undefined;
    });
    return files;
  }

  async #read(): Promise<Map<string, ScriptFile>> {
    const names = (await readdir(this.#folder)).filter((name) => name === LIBRARY || PART.test(name));
    const files = names.map(async (name): Promise<[string, ScriptFile]> => {
      const text = await readFile(join(this.#folder, name), "utf8");
      const plain = Buffer.from(name === LIBRARY ? ORIGIN_NOTE + text : text);
      return [name, { plain, compressed: await promisify(gzip)(plain) }];
    });
    return new Map(await Promise.all(files));
  }
}

/**
 * The addresses of the content delivery network of analytics.js, so that a website changes one address in its snippet. The
 * key in the address is not checked: the script is the same for everybody, and the settings that it asks for next are not.
 */
export function analyticsScriptRoutes(app: App, script: AnalyticsScript): void {
  app.get(
    "/analytics.js/v1/:key/analytics.min.js",
    {
      config: { access: "open" },
      schema: {
        tags: ["browser"],
        summary: "The library analytics.js, for snippets",
        ...PAGES_API["GET /analytics.js/v1/{key}/analytics.min.js"],
      },
    },
    async (request, reply) => send(request, reply, await script.library(), "max-age=300"),
  );
  app.get(
    "/analytics-next/bundles/:file",
    {
      config: { access: "open" },
      schema: { hide: true, params: Type.Object({ file: Type.String({ pattern: PART.source }) }) },
    },
    async (request, reply) => {
      const part = await script.part(request.params.file);
      if (!part) throw notFound("file", request.params.file);
      // The name of a part contains a hash of its content.
      return send(request, reply, part, `max-age=${365 * 24 * 60 * 60}, immutable`);
    },
  );
}

function send(request: FastifyRequest, reply: FastifyReply, { plain, compressed }: ScriptFile, age: string) {
  const isCompressed = acceptsGzip(request);
  return reply
    .headers({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": `public, ${age}`,
      vary: "accept-encoding",
      ...(isCompressed ? { "content-encoding": "gzip" } : {}),
      // Pages of all sites load the script. It is the same for everybody.
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
    })
    .send(isCompressed ? compressed : plain);
}

/** A bundle has a copy of the files. A server that runs from its sources reads them in the package. */
function findFolder(): string {
  const copied = fileURLToPath(new URL("./analytics.js", import.meta.url));
  if (existsSync(copied)) return copied;
  return dirname(createRequire(import.meta.url).resolve(`@segment/analytics-next/dist/umd/${LIBRARY}`));
}
