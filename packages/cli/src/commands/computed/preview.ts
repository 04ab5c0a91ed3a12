import type { ComputedPreview } from "@muster/protocol/api/computed-attributes";
import type { Command } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { counted } from "../../output/counted.js";
import { table } from "../../output/table.js";
import { valueText } from "../../output/value-text.js";
import {
  type ComputationFlags,
  needComputation,
  type Target,
  targetOption,
  typeOption,
  withComputation,
} from "./computation.js";

interface PreviewFlags extends ComputationFlags {
  target: Target;
  type?: string;
}

export function addPreview(computed: DocumentedCommand, context: CommandContext): void {
  withComputation(computed.command("preview"))
    .description("show the values that some users or accounts would get; nothing is stored")
    .addOption(targetOption("who would get the attribute").default("user"))
    .addOption(typeOption())
    .example('muster computed preview --compute \'{"sum": {"event": "Ordered", "property": "total"}}\'')
    .action(async ({ target, type, ...flags }: PreviewFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const compute = await needComputation(context, flags);
      const preview = await api.post<ComputedPreview>("/computed_attributes/preview", {
        target,
        compute,
        ...(type === undefined ? {} : { type }),
      });
      show(preview, () => describe(preview, target, context.width));
    });
}

function describe({ type, count, sample }: ComputedPreview, target: Target, width: number | undefined): string {
  const title = `${sample.length.toLocaleString("en")} of ${counted(count, `${target}s`)}, type ${type}:`;
  if (sample.length === 0) return `There are no ${target}s yet. Type ${type}.`;
  const rows = sample.map(({ id, name, value }) => [id, name ?? "-", valueText(value) || "-"]);
  return `${title}\n\n${table(["ID", "NAME", "VALUE"], rows, width)}`;
}
