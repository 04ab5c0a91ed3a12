import type { Platform, Snippet } from "@muster/protocol/api/platforms";
import type { Removed } from "@muster/protocol/api/subjects";
import { type Command, Option } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { usageFailure } from "../../failure.js";
import { findPlatform } from "../../find/find-platform.js";
import { confirm } from "../../input/confirm.js";
import { lines, table } from "../../output/table.js";
import { timeText } from "../../output/time-text.js";
import { valueText } from "../../output/value-text.js";
import { readList } from "../../read-list.js";
import { addDeployments } from "./deployments.js";

interface PlatformOptions {
  name?: string;
  domain?: string[];
  consent?: string;
  respectDnt?: boolean;
}

const DOMAIN_HELP = "host whose pages may use it, *.example.com for all hosts under it; can be repeated";

export function addPlatform(program: DocumentedCommand, context: CommandContext): void {
  const platform = program
    .command("platform")
    .description("websites that use the browser library; PLATFORM is the id of a platform, or a name that only one has")
    .example("muster platform list");

  platform
    .command("list")
    .description("list the platforms")
    .example("muster platform list --org acme")
    .action(async (_options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      show(await readList<Platform>(api, "/platforms"), (all) => listing(all, context.width));
    });

  platform
    .command("show <platform>")
    .description("show a platform")
    .example("muster platform show Shop")
    .action(async (given: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      show(await findPlatform(api, given), describe);
    });

  withPrivacy(platform.command("create <name>").requiredOption("--domain <host>", DOMAIN_HELP, addHost))
    .description("create a platform: one website, or several that share their visitors")
    .example('muster platform create Shop --domain shop.example.com --domain "*.example.org"')
    .action(async (name: string, options: PlatformOptions, command: Command) => {
      const { api, show } = await connect(context, command);
      show(await api.post<Platform>("/platforms", { ...fieldsOf(options), name }), describe);
    });

  withPrivacy(platform.command("update <platform>").option("--domain <host>", DOMAIN_HELP, addHost))
    .description("change a platform; the domains that are given replace the old ones")
    .option("--name <name>", "new name")
    .option("--no-respect-dnt", "record visitors whose browser asks not to be tracked")
    .example("muster platform update Shop --consent required")
    .action(async (given: string, options: PlatformOptions, command: Command) => {
      const { api, show } = await connect(context, command);
      const fields = fieldsOf(options);
      if (Object.keys(fields).length === 0) {
        throw usageFailure("Give --name, --domain, --consent, --respect-dnt or --no-respect-dnt.");
      }
      const { id } = await findPlatform(api, given);
      show(await api.put<Platform>(`/${id}`, fields), describe);
    });

  platform
    .command("delete <platform>")
    .description("delete a platform with its deployments; what its visitors did stays")
    .option("--yes", "do not ask first")
    .example("muster platform delete Shop")
    .action(async (given: string, { yes }: { yes?: boolean }, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id, name } = await findPlatform(api, given);
      const question = `The platform "${name}" (${id}) is deleted for good, and its pages cannot send anything any more. Delete it?`;
      await confirm(context, question, yes);
      show(await api.delete<Removed>(`/${id}`), () => `"${name}" (${id}) is deleted.`);
    });

  platform
    .command("snippet <platform>")
    .description("print the script tag for the head of every page; --json has more, e.g. the tag that follows upgrades")
    .example("muster platform snippet Shop")
    .action(async (given: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id } = await findPlatform(api, given);
      show(await api.get<Snippet>(`/${id}/snippet`), ({ html }) => html);
    });

  addDeployments(platform, context);
}

function withPrivacy(command: DocumentedCommand): DocumentedCommand {
  return command
    .addOption(
      new Option("--consent <when>", "whether a visitor must agree before anything is recorded").choices([
        "required",
        "not_required",
      ]),
    )
    .option("--respect-dnt", "do not record visitors whose browser asks not to be tracked");
}

function addHost(host: string, before: string[] = []): string[] {
  return [...before, host];
}

/** The fields of a platform that the options give. The server merges settings and replaces the rest. */
function fieldsOf({ name, domain, consent, respectDnt }: PlatformOptions): Record<string, unknown> {
  const settings = {
    ...(consent === undefined ? {} : { consent }),
    ...(respectDnt === undefined ? {} : { respect_dnt: respectDnt }),
  };
  return {
    ...(name === undefined ? {} : { name }),
    ...(domain === undefined ? {} : { domains: domain }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  };
}

function listing(platforms: Platform[], width: number | undefined): string {
  if (platforms.length === 0) return "No platforms yet.";
  return table(
    ["ID", "NAME", "DOMAINS", "CREATED"],
    platforms.map(({ id, name, domains, created_at }) => [id, name, domains.join(", ") || "-", timeText(created_at)]),
    width,
  );
}

function describe({ id, name, domains, settings, created_at, updated_at }: Platform): string {
  const { consent = "not_required", respect_dnt = false, ...others } = settings;
  return lines({
    id,
    name,
    domains: domains.join(", ") || "-",
    consent: valueText(consent).replace("_", " "),
    "respect DNT": respect_dnt === true ? "yes" : "no",
    ...Object.fromEntries(Object.entries(others).map(([key, value]) => [`settings.${key}`, valueText(value) || "-"])),
    created: timeText(created_at),
    updated: timeText(updated_at),
  });
}
