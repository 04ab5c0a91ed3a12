import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Platform } from "@muster/protocol/api/platforms";
import type { Api } from "../api.js";
import { PACKAGE_FOLDER } from "../package-folder.js";
import { readList } from "../read-list.js";
import { type DemoOrganization, findOrMake } from "./demo-organization.js";
import { freePort, type LocalServer, startLocalServer } from "./local-server.js";

/** The website of the examples, which is in the repository; npm packages do not have it. */
const FOLDER = join(PACKAGE_FOLDER, "../../examples/website");
const PLATFORM_NAME = "Tea shop";
const WANTED_PORT = 8081;

/** The platform of the demo's website, which is created when it is missing. */
export async function createPlatform(demo: DemoOrganization): Promise<Platform> {
  const { api } = demo;
  const all = await readList<Platform>(api, "/platforms");
  const create = () => api.post<Platform>("/platforms", { name: PLATFORM_NAME, domains: ["localhost"] });
  return findOrMake(demo, all, ({ name }) => name === PLATFORM_NAME, create);
}

/** Serves the tea shop with the tag of the platform; undefined when the files are not there. */
export async function startWebsite(api: Api, platformId: string): Promise<(LocalServer & { url: string }) | undefined> {
  if (!existsSync(join(FOLDER, "index.html"))) return undefined;
  const { latest_html: tag } = await api.get<{ latest_html: string }>(`/${platformId}/snippet`);
  const read = (name: string) => readFileSync(join(FOLDER, name), "utf8");
  const files = new Map([
    ["/", { type: "text/html", text: read("index.html").replace("<!-- SNIPPET -->", tag) }],
    ["/shop.js", { type: "text/javascript", text: read("shop.js") }],
  ]);
  const port = await freePort(WANTED_PORT);
  const server = await startLocalServer(port, (request, response) => {
    const file = files.get(new URL(request.url ?? "/", "http://localhost").pathname);
    response.writeHead(file ? 200 : 404, { "content-type": `${file?.type ?? "text/plain"}; charset=utf-8` });
    response.end(file?.text ?? "There is nothing here.");
  });
  return { ...server, url: `http://localhost:${port}` };
}
