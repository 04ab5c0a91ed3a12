import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Brand } from "@muster/protocol";

const PACKAGE = dirname(fileURLToPath(import.meta.resolve("@muster/dashboard/package.json")));
const LOOK_EVERY_MS = 200;

/** The files of the dashboard, which may be built while the server runs already. */
export class DashboardFiles {
  readonly packageFolder: string;
  readonly #brand: Brand;

  constructor(brand: Brand, packageFolder = PACKAGE) {
    this.#brand = brand;
    this.packageFolder = packageFolder;
  }

  /** Whether a build has been started and has not ended. */
  isBeingBuilt(): boolean {
    return existsSync(join(this.packageFolder, ".building"));
  }

  /** The page, with what it needs to know; undefined when it is not built. */
  async page(): Promise<{ html: string; nonce: string } | undefined> {
    const text = await readFile(join(this.packageFolder, "dist/index.html"), "utf8").catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      },
    );
    if (text === undefined) return undefined;
    const nonce = randomBytes(16).toString("base64");
    const html = text.replaceAll("__MUSTER_BRAND__", this.#brand.word).replaceAll("__MUSTER_NONCE__", nonce);
    return { html, nonce };
  }

  icon(): Promise<Buffer> {
    return readFile(join(this.packageFolder, "public/icon.svg"));
  }

  /** Resolves when no build runs any more, with whether there is a dashboard. */
  async whenBuilt(signal: AbortSignal): Promise<boolean> {
    while (this.isBeingBuilt() && !signal.aborted)
      await wait(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    return existsSync(join(this.packageFolder, "dist/index.html"));
  }
}
