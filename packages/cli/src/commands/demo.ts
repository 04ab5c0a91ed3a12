import type { Command } from "commander";
import { type CommandContext, connect } from "../command-context.js";
import { DEMO_NAMESPACE, type DemoOrganization, findDemo, prepareDemo } from "../demo/demo-organization.js";
import { type Filled, fillDemo } from "../demo/fill.js";
import { removeDemo } from "../demo/remove.js";
import { runDemo } from "../demo/run-demo.js";
import { describeSights, findSights } from "../demo/sights.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { Failure, usageFailure } from "../failure.js";
import { confirm } from "../input/confirm.js";
import { readCount } from "../input/option-values.js";
import { counted } from "../output/counted.js";

interface DemoFlags {
  users: number;
  seed: number;
  live?: boolean;
  rate: number;
  remove?: boolean;
  yes?: boolean;
}

const DEFAULT_USERS = 20_000;
const DEFAULT_RATE = 5;

export function addDemo(program: DocumentedCommand, context: CommandContext): void {
  program
    .command("demo")
    .summary("fill an organization with a made-up company, to look at")
    .description(
      `fill the organization "${DEMO_NAMESPACE}", or the one of --org, with a made-up company that sells tea to offices: accounts, users, a year of events, segments, connectors and a website`,
    )
    .option("--users <count>", "how many users the company has", readCount, DEFAULT_USERS)
    .option("--seed <number>", "seed of the made-up data: the same number always makes the same company", readCount, 1)
    .option("--live", "keep running until Ctrl-C: send records, and run the connectors and the website")
    .option("--rate <count>", "how many things happen each second with --live", readCount, DEFAULT_RATE)
    .option("--remove", "remove the demo")
    .option("--yes", "do not ask first; fill an organization of --org that has other data")
    .example("muster demo --users 100")
    .example("muster demo --live --rate 20")
    .example("muster demo --remove")
    .action((flags: DemoFlags, command: Command) => {
      if (flags.remove && flags.live) throw usageFailure("Give --live or --remove, not both.");
      return flags.remove ? remove(context, flags, command) : fill(context, flags, command);
    });
}

async function fill(context: CommandContext, flags: DemoFlags, command: Command): Promise<void> {
  const { api, options, show } = await connect(context, command);
  const { url } = api;
  const namespace = options.org ?? DEMO_NAMESPACE;
  const found = await findDemo(api, url, namespace);
  if (found) requireSame(found, flags, command);
  const demo =
    found ?? (await prepareDemo(api, url, namespace, { users: flags.users, seed: flags.seed }, flags.yes ?? false));
  const filled = demo.notes.filled ? undefined : await fillDemo(demo, context);
  context.warn(filled ? figuresOf(filled) : `The demo already exists, as of ${demo.notes.at}.`);
  await runDemo(demo, context, {
    url,
    rate: flags.live ? flags.rate : undefined,
    showSights: async (website) => show(await findSights(demo, url, website), describeSights),
  });
}

/** Refuses to mix the companies of two seeds. */
function requireSame({ namespace, notes }: DemoOrganization, flags: DemoFlags, command: Command): void {
  const isOther = (option: "users" | "seed") =>
    command.getOptionValueSource(option) === "cli" && flags[option] !== notes[option];
  if (!isOther("users") && !isOther("seed")) return;
  throw new Failure(
    "refused",
    `The organization "${namespace}" has the demo with ${counted(notes.users, "users")} and the seed ${notes.seed}. Remove it first: muster demo --remove`,
  );
}

function figuresOf({ company, events, seconds }: Filled): string {
  const users = company.people.length + company.stories.length;
  const figures = [counted(users, "users"), counted(company.accounts.length, "accounts"), counted(events, "events")];
  return `${figures.join(", ")}: all searchable after ${seconds.toFixed(1)} s.`;
}

async function remove(context: CommandContext, { yes }: DemoFlags, command: Command): Promise<void> {
  const { api, options, show } = await connect(context, command);
  const namespace = options.org ?? DEMO_NAMESPACE;
  const demo = await findDemo(api, api.url, namespace);
  if (!demo) throw new Failure("refused", `There is no demo in the organization "${namespace}".`);
  const what = demo.notes.owns_organization
    ? `The organization "${demo.namespace}" with everything in it is removed for good.`
    : `What the demo has put into the organization "${demo.namespace}" is removed for good.`;
  await confirm(context, `${what} Remove the demo?`, yes);
  await removeDemo(demo, context);
  show({ organization: demo.namespace, removed: true }, () => "The demo is removed.");
}
