import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The one file that a page loads of a library. */
export interface Bundle {
  name: string;
  code: string;
}

interface Peer {
  name: string;
  version: string;
  file: string;
}

/** What the installation guides of these libraries put into pages. */
const PEERS: readonly Peer[] = [
  { name: "@segment/analytics-next", version: "1.84.3", file: "dist/umd/standalone.js" },
  { name: "posthog-js", version: "1.445.5", file: "dist/array.js" },
];

const CACHE = fileURLToPath(new URL("../../../.cache/browser-peers/", import.meta.url));
const OURS = new URL("../../../packages/browser/dist/muster.js", import.meta.url);

/** Our bundle first. The others are fetched from npm when they are not here yet, without their dependencies. */
export async function readBundles(): Promise<Bundle[]> {
  const ours = { name: "@muster/browser", code: await readFile(OURS, "utf8") };
  return [ours, ...(await Promise.all(PEERS.map(readPeer)))];
}

async function readPeer({ name, version, file }: Peer): Promise<Bundle> {
  const folder = join(CACHE, `${name.replaceAll(/[@/]/g, "")}-${version}`);
  const path = join(folder, "package", file);
  const isHere = await stat(path).catch(() => undefined);
  if (!isHere) {
    mkdirSync(folder, { recursive: true });
    const [archive = ""] = execFileSync(
      "npm",
      ["pack", `${name}@${version}`, "--pack-destination", folder, "--silent"],
      {
        encoding: "utf8",
      },
    ).split("\n");
    execFileSync("tar", ["xzf", join(folder, archive), "-C", folder]);
  }
  return { name: `${name} ${version}`, code: await readFile(path, "utf8") };
}
