import type { SegmentPreview } from "@muster/protocol/api/segments";
import type { Command } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { usageFailure } from "../../failure.js";
import { findSegment } from "../../find/find-segment.js";
import { counted } from "../../output/counted.js";
import { table } from "../../output/table.js";
import { valueText } from "../../output/value-text.js";
import { type Definition, readDefinition, type SegmentType, typeOption, withDefinition } from "./definition.js";
import { warningLines } from "./warning-lines.js";

const COLUMNS: Record<SegmentType, string[]> = {
  users: ["id", "email", "name", "external_id"],
  accounts: ["id", "domain", "name", "external_id"],
};

export function addPreview(segment: DocumentedCommand, context: CommandContext): void {
  withDefinition(segment.command("preview [segment]"))
    .description("show whom a query selects and, for a saved segment, who would enter and leave it")
    .addOption(typeOption("what the query is about").default("users"))
    .example('muster segment preview --query \'{"term": {"plan": "pro"}}\'')
    .example("muster segment preview Pros --query @new.json")
    .action(
      async (given: string | undefined, { type, ...flags }: Definition & { type: SegmentType }, command: Command) => {
        const { api, show } = await connect(context, command);
        const definition = await readDefinition(context, flags);
        const saved = given === undefined ? undefined : await findSegment(api, given);
        if (!saved && Object.keys(definition).length === 0)
          throw usageFailure("Give --query, --predicate or a segment.");
        const about = saved ? (saved.type === "accounts_segment" ? "accounts" : "users") : type;
        const preview = await api.post<SegmentPreview>("/segments/preview", {
          type: `${about}_segment`,
          ...(saved ? { query: saved.query, segment_id: saved.id } : {}),
          ...(definition.predicate && !definition.query ? { query: {} } : {}),
          ...definition,
        });
        show(preview, () => describe(preview, about, saved !== undefined, context.width));
      },
    );
}

function describe(preview: SegmentPreview, about: SegmentType, isSaved: boolean, width: number | undefined): string {
  const part = (title: string, { count, sample }: Pick<SegmentPreview, "count" | "sample">) =>
    [
      `${counted(count, about)} ${title}${sample.length < count ? `; the newest ${sample.length}:` : ""}`,
      ...(sample.length === 0 ? [] : [listing(sample, COLUMNS[about], width)]),
    ].join("\n");
  return [
    ...warningLines(preview.warnings),
    part(preview.count === 1 ? "matches" : "match", preview),
    ...(isSaved ? [part("would enter", preview.entering), part("would leave", preview.leaving)] : []),
  ].join("\n\n");
}

function listing(rows: Record<string, unknown>[], columns: string[], width: number | undefined): string {
  return table(
    columns.map((column) => column.toUpperCase()),
    rows.map((row) => columns.map((column) => valueText(row[column]))),
    width,
  );
}
