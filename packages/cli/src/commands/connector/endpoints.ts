import { isObject, type RefusalBody } from "@muster/protocol";
import type { Job } from "@muster/protocol/api/jobs";
import { type Command, Option } from "commander";
import { describeJob } from "../../bulk/describe-job.js";
import { followJob } from "../../bulk/job.js";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { Failure } from "../../failure.js";
import { findConnector } from "../../find/find-connector.js";
import { findSegment } from "../../find/find-segment.js";
import { confirm } from "../../input/confirm.js";
import { readJsonObject } from "../../input/read-argument.js";
import { printableJson } from "../../output/printable.js";

interface ExportFlags {
  object: "users" | "accounts";
  segment?: string;
  wait: boolean;
  yes?: boolean;
}

export function addEndpoints(connector: DocumentedCommand, context: CommandContext): void {
  connector
    .command("call <id> <path>")
    .description("call an endpoint that the manifest declares, and print the answer of the connector")
    .option("--body <json>", "body to send; @file reads a file, - reads standard input")
    .example("muster connector call Mailer /lists --body '{\"limit\": 10}'")
    .action(async (id: string, path: string, { body }: { body?: string }, command: Command) => {
      const { api, options } = await connect(context, command);
      const found = await findConnector(api, id);
      const content = body === undefined ? {} : { body: await readJsonObject(context, body, "body") };
      const response = await api.send("POST", `/${found.id}/call`, { path, ...content });
      const text = await response.text();
      const answer = readAnswer(text);
      if (!response.ok && isRefusal(answer)) throw new Failure("refused", answer.message);
      if (options.json) context.printJson(answer);
      else context.print(typeof answer === "string" ? answer : printableJson(answer, 2));
      if (!response.ok) throw new Failure("refused", `The call was answered with status ${response.status}.`);
    });

  connector
    .command("export <id>")
    .description("send users or accounts to a connector: the members of a segment, or all")
    .addOption(new Option("--object <object>", "what to send").choices(["users", "accounts"]).default("users"))
    .option("--segment <segment>", "only the members of this segment: its id or name")
    .option("--wait", "wait until it is done", true)
    .option("--no-wait", "do not wait until it is done")
    .option("--yes", "do not ask before everything is sent")
    .example("muster connector export Mailer --segment Newsletter")
    .action(async (id: string, { object, segment, wait, yes }: ExportFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const found = await findConnector(api, id);
      const body = { object, ...(segment === undefined ? {} : { segment_id: (await findSegment(api, segment)).id }) };
      if (segment === undefined) await confirm(context, `Send all ${object} to "${found.name}"?`, yes);
      const started = await api.post<Job>(`/${found.id}/export`, body);
      show(wait ? await followJob(api, started, context) : started, describeJob);
    });
}

/** Whether the server itself has refused the call. */
function isRefusal(answer: unknown): answer is RefusalBody {
  return isObject(answer) && typeof answer.message === "string" && isObject(answer.error);
}

function readAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
