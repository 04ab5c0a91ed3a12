import type { CommandContext } from "../command-context.js";
import { Failure } from "../failure.js";
import { counted } from "../output/counted.js";
import { type DemoConnectors, installConnectors } from "./connectors.js";
import { type DemoOrganization, note } from "./demo-organization.js";
import { keepMoving, type Movement, moveOnce } from "./live/keep-moving.js";
import { createPlatform, startWebsite } from "./website.js";

export interface RunOptions {
  /** The address of the server. */
  url: string;
  /** How much happens in a second; undefined when the command ends. */
  rate: number | undefined;
  /** Prints what to look at. The website has an address only while it runs. */
  showSights(websiteUrl: string | undefined): Promise<void>;
}

const FIRST_ACTS = 30;
const STOPPING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Gives the connectors of a new demo something to do, and goes on until Ctrl-C if a rate is given. */
export async function runDemo(demo: DemoOrganization, context: CommandContext, options: RunOptions): Promise<void> {
  const platform = await createPlatform(demo);
  if (options.rate !== undefined || !demo.notes.moved) {
    await untilStopped(context, (signal) => move(demo, platform.id, context, options, signal));
  }
  if (options.rate === undefined) await options.showSights(undefined);
}

async function move(
  demo: DemoOrganization,
  platformId: string,
  context: CommandContext,
  { url, rate, showSights }: RunOptions,
  signal: AbortSignal,
): Promise<void> {
  const connectors = await prepareConnectors(demo, context, url, signal);
  if (!demo.notes.moved && connectors) {
    context.progress("letting the connectors do something");
    await connectors.fillCrm();
    await moveOnce(demo, connectors, FIRST_ACTS);
    await connectors.delivered();
    await note(demo, { moved: true });
  }
  signal.throwIfAborted();
  if (rate === undefined) return;
  const website = await startWebsite(demo.api, platformId);
  try {
    await showSights(website?.url);
    await keepMoving(demo, { connectors, ...reporting(context) }, rate, signal);
  } finally {
    await website?.close();
  }
}

async function prepareConnectors(
  demo: DemoOrganization,
  context: CommandContext,
  url: string,
  signal: AbortSignal,
): Promise<DemoConnectors | undefined> {
  context.progress("installing connectors");
  const connectors = await installConnectors(demo, url, signal);
  if (!connectors) context.warn("The connectors are left out: this server runs none (BUNDLED_CONNECTORS=false).");
  return connectors;
}

function reporting({ warn, progress }: CommandContext): Pick<Movement, "onNews" | "onSent"> {
  return { onNews: warn, onSent: (records) => progress(`${counted(records, "records")} sent. Ctrl-C ends it.`) };
}

/** Runs until it ends, until Ctrl-C, or until the context says that the command ends. */
async function untilStopped(context: CommandContext, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const onSignal = () => stop.abort();
  for (const name of STOPPING) process.once(name, onSignal);
  try {
    await run(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Failure(
      "refused",
      "The demo was stopped before it was complete. The same command goes on with it.",
      error,
    );
  } finally {
    for (const name of STOPPING) process.off(name, onSignal);
    context.progress("");
  }
}
