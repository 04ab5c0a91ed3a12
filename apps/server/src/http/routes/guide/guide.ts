import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { PACKAGE_FOLDER } from "../../../runtime/package-folder.js";
import { type RenderedPage, renderMarkdown } from "./guide-markdown.js";
import { type GuideEntry, type GuideGroup, readNavigation } from "./guide-navigation.js";
import { type GuideHit, GuideSearch } from "./guide-search.js";

/** A page with its neighbours in the list of all pages. */
export interface GuidePage extends RenderedPage {
  address: string;
  previous: GuideEntry | undefined;
  next: GuideEntry | undefined;
}

interface CachedPage {
  changedAt: number;
  page: RenderedPage;
}

/** The list of all pages. It is the first page, too. */
const LIST = "README";
const PAGE = /^[\w-]+(\/[\w-]+)*$/;

/** The guides. Pages are rendered when somebody reads them, and again when their file has changed. */
export class Guide {
  readonly folder: string;
  readonly #pages = new Map<string, CachedPage>();
  #search: Promise<GuideSearch> | undefined;

  constructor(folder = guideFolder()) {
    this.folder = folder;
  }

  /** The page with this path below `/guide`; an empty path is the list of all pages. */
  async page(path: string): Promise<GuidePage | undefined> {
    const name = path === "" ? LIST : path;
    const rendered = PAGE.test(name) ? await this.#render(name) : undefined;
    if (!rendered) return undefined;
    const address = addressOf(name);
    const entries = (await this.groups()).flatMap((group) => group.entries);
    const place = entries.findIndex((entry) => entry.address === address);
    const next = name === LIST ? entries[0] : entries[place + 1];
    const isListed = place >= 0 || name === LIST;
    return { ...rendered, address, previous: entries[place - 1], next: isListed ? next : undefined };
  }

  async groups(): Promise<GuideGroup[]> {
    const list = await readFile(join(this.folder, `${LIST}.md`), "utf8").catch(nothingIfMissing);
    return readNavigation(list ?? "");
  }

  async find(words: string): Promise<GuideHit[]> {
    this.#search ??= this.#indexAll();
    return (await this.#search).find(words);
  }

  async #indexAll(): Promise<GuideSearch> {
    const search = new GuideSearch();
    const files = await readdir(this.folder, { recursive: true });
    for (const file of files.filter((name) => name.endsWith(".md")).sort()) {
      const name = file.replaceAll("\\", "/").replace(/\.md$/, "");
      // Decisions explain the code to its authors, and would hide what users look for.
      const page = name === LIST || name.startsWith("decisions/") ? undefined : await this.#render(name);
      if (page) search.add(addressOf(name), page);
    }
    return search;
  }

  async #render(name: string): Promise<RenderedPage | undefined> {
    // `decisions` is the list in that folder.
    return (await this.#renderFile(name)) ?? this.#renderFile(`${name}/${LIST}`);
  }

  async #renderFile(path: string): Promise<RenderedPage | undefined> {
    const file = join(this.folder, `${path}.md`);
    const changedAt = (await stat(file).catch(nothingIfMissing))?.mtimeMs;
    if (changedAt === undefined) return undefined;
    const known = this.#pages.get(path);
    if (known?.changedAt === changedAt) return known.page;
    const page = renderMarkdown(path, await readFile(file, "utf8"));
    this.#pages.set(path, { changedAt, page });
    return page;
  }
}

/** In the repository the guides are in its folder docs. The published package has a copy of it. */
function guideFolder(): string {
  const ofRepository = join(PACKAGE_FOLDER, "../../docs");
  return existsSync(join(ofRepository, "decisions/README.md")) ? ofRepository : join(PACKAGE_FOLDER, "docs");
}

function addressOf(name: string): string {
  return name === LIST ? "/guide" : `/guide/${name}`;
}

function nothingIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
}
