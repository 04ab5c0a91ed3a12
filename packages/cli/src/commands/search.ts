import { isObject } from "@muster/protocol";
import { Argument, type Command } from "commander";
import { type CommandContext, connect } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { usageFailure } from "../failure.js";
import { readCount, readNames, readSort } from "../input/option-values.js";
import { readJsonObject } from "../input/read-argument.js";
import { counted } from "../output/counted.js";
import { table } from "../output/table.js";
import { valueText } from "../output/value-text.js";
import { membersQuery } from "../search/members-query.js";
import { type Found, type SearchTarget, searchPages } from "../search/search-pages.js";
import { wordsQuery } from "../search/words-query.js";

interface SearchFlags {
  query?: string;
  segment?: string;
  fields?: string[];
  sort?: Record<string, string>;
  limit: number;
  all?: boolean;
  ndjson?: boolean;
}

const COLUMNS: Record<SearchTarget, string[]> = {
  users: ["id", "email", "name", "external_id", "last_seen_at"],
  accounts: ["id", "domain", "name", "external_id", "created_at"],
  events: ["created_at", "event", "user_id", "properties"],
};

export function addSearch(program: DocumentedCommand, context: CommandContext): void {
  program
    .command("search")
    .description("search users, accounts or events; --json prints one document with `total` and `data`")
    .addArgument(new Argument("<what>", "what to search").choices(["users", "accounts", "events"]))
    .argument("[words...]", "words to look for in names, emails, domains and ids; for events in their names")
    .option("--query <json>", "query in the search language; @file reads a file, - reads standard input")
    .option("--segment <segment>", "only the members of this segment: its id or name")
    .option("--fields <names>", "fields to show, with commas between them", readNames)
    .option("--sort <field:order>", "e.g. last_seen_at:desc (default: created_at:desc)", readSort)
    .option("--limit <count>", "how many at most", readCount, 30)
    .option("--all", "everything that matches, whatever the number")
    .option("--ndjson", "one JSON document in each line, written as they come")
    .example("muster search users ada --fields id,email,plan")
    .example("muster search users --segment Pros --sort last_seen_at:desc")
    .example('muster search events --query \'{"term": {"event": "Signed up"}}\' --all --ndjson')
    .action(async (what: SearchTarget, words: string[], flags: SearchFlags, command: Command) => {
      if (words.length > 0 && flags.query !== undefined) throw usageFailure("Give words or --query, not both.");
      if (what === "events" && flags.segment !== undefined) {
        throw usageFailure("Segments have users or accounts as members, not events.");
      }
      const { api, options } = await connect(context, command);
      const query =
        flags.query === undefined ? wordsQuery(what, words) : await readJsonObject(context, flags.query, "query");
      const pages = searchPages(api, what, {
        query: await membersQuery(api, query, flags.segment),
        sort: flags.sort ?? { created_at: "desc" },
        limit: flags.all ? Number.POSITIVE_INFINITY : flags.limit,
        ...(flags.fields ? { include: flags.fields.flatMap(includedFor) } : {}),
      });
      const rows: Found[] = [];
      let total = 0;
      let isComplete = true;
      for await (const page of pages) {
        total = page.total;
        isComplete &&= page.isComplete;
        if (!flags.ndjson) rows.push(...page.rows);
        else for (const row of page.rows) context.printJson(row);
        await context.drained();
      }
      if (!isComplete) context.warn("The question engine is being filled: some of the data may be missing.");
      if (flags.ndjson) return;
      if (options.json) return context.printJson({ total, data: rows });
      if (rows.length > 0) context.print(listing(rows, flags.fields ?? COLUMNS[what], context.width));
      context.warn(
        rows.length < total
          ? `${rows.length.toLocaleString("en")} of ${counted(total, what)}; --limit or --all shows more.`
          : `${counted(rows.length, what)}.`,
      );
    });
}

function listing(rows: Found[], fields: string[], width: number | undefined): string {
  return table(
    fields.map((field) => field.toUpperCase()),
    rows.map((row) => fields.map((field) => valueText(fieldOf(row, field)))),
    width,
  );
}

/** The fields of a row that hold a field as people name it: `plan` is in `traits_plan`, `account.name` in `account`. */
function includedFor(field: string): string[] {
  return [field, `traits_${field}`, field.split(".")[0] ?? field];
}

function fieldOf(row: Found, field: string): unknown {
  const own = row[field] ?? row[`traits_${field}`];
  if (own !== undefined) return own;
  const [outer = "", ...inner] = field.split(".");
  const part = row[outer];
  return isObject(part) ? part[inner.join(".")] : undefined;
}
