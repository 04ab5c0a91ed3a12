import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { SpareTime } from "../../../runtime/loops/spare-time.js";
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

/** What was made of a file, and when the file had been changed. */
interface Cached<Made> {
  changedAt: number;
  made: Made;
}

/** The folder docs of the clone; the image has it at the same place. */
const FOLDER = join(PACKAGE_FOLDER, "../../docs");
/** The list of all pages. It is the first page, too. */
const LIST = "README";
const PAGE = /^[\w-]+(\/[\w-]+)*$/;
const MAX_PATH_LENGTH = 200;
/** So many searches take about three seconds. */
const MAX_WAITING = 100;

/** The guides. Pages are rendered when somebody reads them, and again when their file has changed. */
export class Guide {
  readonly folder: string;
  readonly #pages = new Map<string, Cached<Promise<RenderedPage>>>();
  readonly #spare = new SpareTime(MAX_WAITING);
  #groups: Cached<GuideGroup[]> | undefined;
  #search: Promise<GuideSearch> | undefined;

  constructor(folder = FOLDER) {
    this.folder = folder;
  }

  /** The page with this path below `/guide`; an empty path is the list of all pages. */
  async page(path: string): Promise<GuidePage | undefined> {
    const name = path === "" ? LIST : path;
    const canBePage = name.length <= MAX_PATH_LENGTH && PAGE.test(name);
    const rendered = canBePage ? await this.#render(name) : undefined;
    if (!rendered) return undefined;
    const address = addressOf(name);
    const entries = (await this.groups()).flatMap((group) => group.entries);
    const place = entries.findIndex((entry) => entry.address === address);
    const next = name === LIST ? entries[0] : entries[place + 1];
    const isListed = place >= 0 || name === LIST;
    return { ...rendered, address, previous: entries[place - 1], next: isListed ? next : undefined };
  }

  async groups(): Promise<readonly GuideGroup[]> {
    const file = join(this.folder, `${LIST}.md`);
    const changedAt = await changeTime(file);
    if (changedAt === undefined) return [];
    if (this.#groups?.changedAt !== changedAt) {
      this.#groups = { changedAt, made: readNavigation(await readFile(file, "utf8")) };
    }
    return this.#groups.made;
  }

  /** The index is built for the first search, with pauses, and once: searches that come meanwhile wait for it. */
  async find(words: string): Promise<GuideHit[]> {
    if (words === "") return [];
    this.#search ??= this.#indexAll().catch((error) => {
      this.#search = undefined;
      throw error;
    });
    const search = await this.#search;
    return this.#spare.run(() => search.find(words));
  }

  async #indexAll(): Promise<GuideSearch> {
    const search = new GuideSearch();
    const files = await readdir(this.folder, { recursive: true });
    for (const file of files.filter((name) => name.endsWith(".md")).sort()) {
      const name = file.replaceAll("\\", "/").replace(/\.md$/, "");
      // Decisions explain the code to its authors, and would hide what users look for.
      const page = name === LIST || name.startsWith("decisions/") ? undefined : await this.#render(name);
      if (page) await this.#spare.run(() => search.add(addressOf(name), page, this.#spare));
    }
    return search;
  }

  async #render(name: string): Promise<RenderedPage | undefined> {
    // `decisions` is the list in that folder.
    return (await this.#renderFile(name)) ?? this.#renderFile(`${name}/${LIST}`);
  }

  async #renderFile(path: string): Promise<RenderedPage | undefined> {
    const file = join(this.folder, `${path}.md`);
    const changedAt = await changeTime(file);
    if (changedAt === undefined) return undefined;
    const known = this.#pages.get(path);
    if (known?.changedAt === changedAt) return known.made;
    const made = readFile(file, "utf8").then((source) =>
      this.#spare.run(() => renderMarkdown(path, source, this.#spare)),
    );
    this.#pages.set(path, { changedAt, made });
    made.catch(() => this.#pages.delete(path));
    return made;
  }
}

function addressOf(name: string): string {
  return name === LIST ? "/guide" : `/guide/${name}`;
}

/** When a file was changed; undefined when there is no such file. */
async function changeTime(file: string): Promise<number | undefined> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR" && error.code !== "ENAMETOOLONG") throw error;
  });
  return found?.mtimeMs;
}
