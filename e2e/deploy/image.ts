import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, cp, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import ignoreModule from "@balena/dockerignore";
import { type Copy, DockerfileParser, type Env, type From, type Healthcheck, type Instruction } from "dockerfile-ast";
import { isLong } from "../../testing/test-length.js";
import { installFrom, withNetwork } from "../support/installation.js";
import { REPOSITORY } from "../support/muster-process.js";
import { NOBODY } from "./unprivileged.js";

const run = promisify(execFile);
// The types of the package describe a default export. It exports the function itself.
const dockerignore = ignoreModule as unknown as typeof ignoreModule.default;

/** What a container engine would make of a Dockerfile: a folder that stands for the file system, and how to run it. */
export interface Image {
  /** The folder that stands for `/`. */
  root: string;
  folder: string;
  environment: Record<string, string>;
  user: string | undefined;
  volumes: string[];
  command: string[];
  healthcheck: string[];
}

type Stage = Image & { name: string | undefined };

/**
 * Executes a Dockerfile without a container engine. Each stage gets a folder of its own that stands for `/`; commands run
 * on this machine, as whoever runs the test. The programs of the base image are those of this machine. An installation of
 * all packages is taken from `installed`, where the same command has run with the same lock file and manifests.
 */
export async function buildImage(dockerfile: string, target: string, installed: string): Promise<Image> {
  const stages: Stage[] = [];
  for (const instruction of DockerfileParser.parse(dockerfile).getInstructions()) {
    await execute(instruction, stages, { target, installed });
  }
  const last = stages.at(-1);
  if (!last) throw new Error("The Dockerfile has no stage.");
  return last;
}

interface Folders {
  target: string;
  installed: string;
}

/** The flags say where packages come from and what is printed, not what is installed. */
const INSTALLATION = /^npm ci( --prefer-offline| --no-audit| --no-fund)*$/;

const CACHE_OF_NPM = /^--mount=type=cache,target=\/root\/\.npm /;

async function execute(instruction: Instruction, stages: Stage[], { target, installed }: Folders): Promise<void> {
  const keyword = instruction.getKeyword();
  if (keyword === "FROM") {
    const root = join(target, `stage-${stages.length}`);
    // The keyword says which kind of instruction it is.
    const from = instruction as From;
    const base = stages.find(({ name }) => name !== undefined && name === from.getImage());
    // The files of a base are linked: builds write files of their own, and replace what they change.
    if (base) await link(base.root, root);
    else await mkdir(root);
    stages.push({
      name: from.getBuildStage() ?? undefined,
      root,
      folder: base ? join(root, relative(base.root, base.folder)) : root,
      environment: { PATH: process.env.PATH ?? "" },
      user: undefined,
      volumes: [],
      command: [],
      healthcheck: [],
    });
    return;
  }
  const stage = stages.at(-1);
  if (!stage) throw new Error(`${keyword} comes before FROM.`);
  const text = instruction.getArgumentsContent() ?? "";
  switch (keyword) {
    case "WORKDIR":
      stage.folder = inside(stage, text);
      await mkdir(stage.folder, { recursive: true });
      return;
    case "ENV":
      for (const property of (instruction as Env).getProperties()) {
        const value = (property.getValue() ?? "").replace("$PATH", stage.environment.PATH ?? "");
        stage.environment[property.getName()] = withPathsInside(stage, value);
      }
      return;
    case "COPY":
      return copy(instruction as Copy, stage, stages);
    case "RUN": {
      // The cache of npm on this machine stands for the one that the engine keeps between builds.
      const command = text.replace(CACHE_OF_NPM, "");
      if (INSTALLATION.test(command) && (await installFrom(installed, stage.folder))) return;
      await run("/bin/sh", ["-c", command], {
        cwd: stage.folder,
        env: { ...withNetwork(), ...stage.environment, NODE_ENV: "" },
        maxBuffer: 64 * 1024 * 1024,
      });
      return;
    }
    case "USER":
      stage.user = text;
      return;
    case "VOLUME":
      stage.volumes.push(text);
      return;
    case "CMD":
      stage.command = JSON.parse(text) as string[];
      return;
    case "HEALTHCHECK":
      stage.healthcheck = JSON.parse(
        (instruction as Healthcheck).getRawArgumentsContent()?.replace(/^.*?CMD\s+/s, "") ?? "[]",
      );
      return;
    case "EXPOSE":
      return;
    default:
      throw new Error(`The test does not know how to execute ${keyword}.`);
  }
}

async function copy(instruction: Copy, stage: Stage, stages: readonly Stage[]): Promise<void> {
  const from = instruction
    .getFlags()
    .find((flag) => flag.getName() === "from")
    ?.getValue();
  const hasOwner = instruction.getFlags().some((flag) => flag.getName() === "chown");
  const paths = instruction.getArguments().map((argument) => argument.getValue());
  const target = paths.pop() ?? "";
  const into = inside(stage, target);
  if (from === undefined || from === null) {
    for (const path of paths) {
      await copyRepository(path, into);
      // The whole repository is copied for its manifests alone.
      if (!isLong && path !== ".") await copyCompiled(path, into);
    }
    return;
  }
  const source = stages.find(({ name }) => name === from);
  if (!source) throw new Error(`There is no stage ${from}.`);
  for (const path of paths) {
    const file = inside(source, path);
    // A folder's content is copied, a file goes into a folder whose name ends in a slash.
    const to = (await stat(file)).isFile() && target.endsWith("/") ? join(into, basename(file)) : into;
    await mkdir(dirname(to), { recursive: true });
    await link(file, to);
    // Only root can change the owner of files. Any other user who runs the test owns them already.
    if (hasOwner && process.getuid?.() === 0) await chown(to, NOBODY, NOBODY);
  }
}

/** Copies a file, or what a folder holds, with hard links: the folders of dependencies have many thousand files. */
async function link(from: string, to: string): Promise<void> {
  await run("cp", ["--archive", "--link", "--remove-destination", "--no-target-directory", from, to]);
}

/** Copies a file of the repository, or what one of its folders holds, without what `.dockerignore` leaves out. */
async function copyRepository(path: string, target: string): Promise<void> {
  const { stdout } = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", path], {
    cwd: REPOSITORY,
    maxBuffer: 64 * 1024 * 1024,
  });
  const ignored = dockerignore().add(await readFile(join(REPOSITORY, ".dockerignore"), "utf8"));
  for (const name of ignored.filter(stdout.split("\0").filter((each) => each !== ""))) {
    const copy = join(target, relative(path, name) || name);
    await mkdir(dirname(copy), { recursive: true });
    // The file there may be a link to that of another stage.
    await rm(copy, { force: true });
    // A file that is removed and not committed is still listed.
    await cp(join(REPOSITORY, name), copy).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
}

const COMPILED = ["packages", "connector-apps"];

/**
 * Copies what the compiler has made of the packages and connectors below `path` in this repository. It compares the sources
 * with those that it has seen, and compiles what is different; `new-user.test.ts` compiles everything from a fresh clone. The
 * other builds begin with nothing.
 */
async function copyCompiled(path: string, target: string): Promise<void> {
  for (const parent of COMPILED) {
    for (const name of await readdir(join(REPOSITORY, parent))) {
      const workspace = relative(path, join(parent, name));
      const compiled = join(REPOSITORY, parent, name, "dist");
      if (workspace.startsWith("..") || !existsSync(compiled) || !existsSync(join(target, workspace))) continue;
      // No links: the compiler writes to its notes on the sources.
      await cp(compiled, join(target, workspace, "dist"), { recursive: true, preserveTimestamps: true });
    }
  }
}

/** The path that stands for a path of the image. */
function inside({ root, folder }: Stage, path: string): string {
  return path.startsWith("/") ? join(root, path) : resolve(folder, path);
}

/** A value of an environment variable, with the folders of the image replaced by those that stand for them. */
function withPathsInside({ root }: Stage, value: string): string {
  return value.replaceAll(/(?<=^|:)\/(app|data)(?=\/|:|$)/g, (path) => join(root, path));
}
