import type { Explanation } from "@muster/protocol/api/segments";
import { type Command, Option } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findSegment } from "../../find/find-segment.js";
import { findSubject } from "../../find/find-subject.js";
import { table } from "../../output/table.js";
import { valueText } from "../../output/value-text.js";

export function addExplain(segment: DocumentedCommand, context: CommandContext): void {
  segment
    .command("explain <subject> <segment>")
    .description("say why a user or account is in a segment or not, for each clause of the query")
    .addOption(
      new Option("--by <identifier>", "which identifier the first argument is, if it could be several").choices([
        "id",
        "email",
        "domain",
        "external_id",
        "anonymous_id",
      ]),
    )
    .example("muster segment explain ada@example.com Pros")
    .action(async (given: string, segmentName: string, { by }: { by?: string }, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id: segmentId, name, type } = await findSegment(api, segmentName);
      const subjectType = type === "accounts_segment" ? "account" : "user";
      const { id } = await findSubject(api, subjectType, given, by);
      const explanation = await api.get<Explanation>(`/${id}/segments/${segmentId}/explain`);
      show({ id, segment_id: segmentId, ...explanation }, () => {
        const title = `The ${subjectType} ${given} ${explanation.matches ? "matches" : "does not match"} "${name}".`;
        return `${title}\n\n${clauses(explanation, context.width)}`;
      });
    });
}

/** One line for each clause. A clause under a `must_not` is as it should be when it does not hold. */
function clauses({ clauses: all }: Explanation, width: number | undefined): string {
  return table(
    ["FITS", "CLAUSE", "VALUE"],
    all.map(({ sentence, negated, holds, seen }) => [
      holds !== negated ? "yes" : "no",
      negated ? `not: ${sentence}` : sentence,
      valueText(seen) || "-",
    ]),
    width,
  );
}
