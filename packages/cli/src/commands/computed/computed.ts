import { setTimeout as sleep } from "node:timers/promises";
import type { ComputedAttribute } from "@muster/protocol/api/computed-attributes";
import type { Removed } from "@muster/protocol/api/subjects";
import type { Command } from "commander";
import type { Api } from "../../api.js";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { usageFailure } from "../../failure.js";
import { findComputed } from "../../find/find-computed.js";
import { confirm } from "../../input/confirm.js";
import { counted } from "../../output/counted.js";
import { printableJson } from "../../output/printable.js";
import { lines, table } from "../../output/table.js";
import { timeText } from "../../output/time-text.js";
import { readList } from "../../read-list.js";
import {
  type ComputationFlags,
  needComputation,
  readComputation,
  type Target,
  targetOption,
  typeOption,
  withComputation,
} from "./computation.js";
import { addExplain } from "./explain.js";
import { addPreview } from "./preview.js";

interface CreateFlags extends ComputationFlags {
  target: Target;
  type?: string;
  description?: string;
  replace?: true;
  wait?: boolean;
}

interface UpdateFlags extends ComputationFlags {
  description?: string;
  wait?: boolean;
}

interface DeleteFlags {
  keepValues?: boolean;
  yes?: boolean;
}

const POLL_MS = 200;
const WAIT = "wait until everybody has the value";

/** Attributes that are computed from events, from other attributes, or over the users of an account. */
export function addComputed(program: DocumentedCommand, context: CommandContext): void {
  const computed = program
    .command("computed")
    .description("attributes that are computed; ATTRIBUTE is an id, or a name that only one has")
    .example("muster computed list");

  computed
    .command("list")
    .description("list the computed attributes")
    .addOption(targetOption("only those of users, or of accounts"))
    .example("muster computed list --target user")
    .action(async ({ target }: { target?: Target }, command: Command) => {
      const { api, show } = await connect(context, command);
      const path = target === undefined ? "/computed_attributes" : `/computed_attributes?target=${target}`;
      show(await readList<ComputedAttribute>(api, path), (all) => listing(all, context.width));
    });

  computed
    .command("show <attribute>")
    .description("show a computed attribute, and how far its values are computed")
    .example("muster computed show orders")
    .action(async (given: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      show(await findComputed(api, given), describe);
    });

  withComputation(computed.command("create <name>"))
    .description("compute an attribute from now on; `preview` shows first what it would be")
    .addOption(targetOption("who gets the attribute").default("user"))
    .addOption(typeOption())
    .option("--description <text>", "what it means")
    .option("--replace", "also when others write an attribute of this name: they are refused from now on")
    .option("--wait", WAIT)
    .example('muster computed create all_orders --compute \'{"count": {"event": "Ordered"}}\'')
    .example("muster computed create is_large --formula 'plan == \"pro\" && seats > 10' --wait")
    .action(async (name: string, { compute, formula, wait, ...given }: CreateFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const computation = await needComputation(context, { ...(compute && { compute }), ...(formula && { formula }) });
      const body = { name, ...given, compute: computation };
      const created = await api.post<ComputedAttribute>("/computed_attributes", body);
      show(wait ? await filled(api, created) : created, describe);
    });

  withComputation(computed.command("update <attribute>"))
    .description("change what is computed, and compute everybody again; or change the description")
    .option("--description <text>", "what it means")
    .option("--wait", WAIT)
    .example('muster computed update orders --compute \'{"count": {"event": "Ordered", "within": "30d"}}\'')
    .action(async (given: string, { description, wait, ...flags }: UpdateFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const compute = await readComputation(context, flags);
      const change = { ...(description === undefined ? {} : { description }), ...(compute && { compute }) };
      if (Object.keys(change).length === 0) throw usageFailure("Give --compute, --formula or --description.");
      const { id } = await findComputed(api, given);
      const changed = await api.put<ComputedAttribute>(`/computed_attributes/${id}`, change);
      show(wait ? await filled(api, changed) : changed, describe);
    });

  computed
    .command("delete <attribute>")
    .description("stop computing an attribute, and delete its values")
    .option("--keep-values", "keep the values, as those of an ordinary attribute")
    .option("--yes", "do not ask first")
    .example("muster computed delete orders --keep-values")
    .action(async (given: string, { keepValues, yes }: DeleteFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id, name, target } = await findComputed(api, given);
      const values = keepValues ? "The values stay." : `Every ${target} loses the value.`;
      await confirm(context, `"${name}" (${id}) is not computed any more. ${values} Delete it?`, yes);
      const path = `/computed_attributes/${id}?values=${keepValues ? "keep" : "delete"}`;
      show(await api.delete<Removed>(path), () => `"${name}" (${id}) is deleted. ${values}`);
    });

  addPreview(computed, context);
  addExplain(computed, context);
}

/** The computed attribute when everybody has its value, or when it cannot be computed. */
async function filled(api: Api, { id }: ComputedAttribute): Promise<ComputedAttribute> {
  for (;;) {
    const now = await api.get<ComputedAttribute>(`/computed_attributes/${id}`);
    if (now.status !== "computing") return now;
    await sleep(POLL_MS);
  }
}

function statusOf({ status, error, progress, target }: ComputedAttribute): string {
  if (status === "broken") return `broken: ${error}`;
  if (status === "ok" || progress === null) return status;
  return `computing, ${progress.processed.toLocaleString("en")} of ${counted(progress.total, `${target}s`)}`;
}

function listing(all: readonly ComputedAttribute[], width: number | undefined): string {
  if (all.length === 0) return "No computed attributes yet.";
  return table(
    ["ID", "NAME", "OF", "TYPE", "STATUS", "COMPUTE"],
    all.map((each) => [each.id, each.name, `${each.target}s`, each.type, statusOf(each), printableJson(each.compute)]),
    width,
  );
}

function describe(attribute: ComputedAttribute): string {
  const { id, name, target, type, description, compute, created_at, updated_at, computed_at } = attribute;
  const facts = lines({
    id,
    name,
    of: `${target}s`,
    type,
    ...(description === "" ? {} : { description }),
    status: statusOf(attribute),
    created: timeText(created_at),
    updated: timeText(updated_at),
    computed: computed_at === null ? "not yet" : timeText(computed_at),
  });
  return `${facts}\n\ncompute: ${printableJson(compute)}`;
}
