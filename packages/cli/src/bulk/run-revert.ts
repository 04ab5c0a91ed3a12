import type { Job } from "@muster/protocol/api/jobs";
import { undoSentences } from "@muster/protocol/api/undo-sentences";
import type { CommandContext, Session } from "../command-context.js";
import { confirm } from "../input/confirm.js";
import { followJob } from "./job.js";

export interface RevertFlags {
  yes?: boolean;
  dryRun?: boolean;
}

interface RevertRequest extends RevertFlags {
  /** Of a job or a connector. */
  id: string;
  from?: string;
  to?: string;
}

/** Says what an undo would do, asks, and does it. */
export async function runRevert(
  context: CommandContext,
  { api, show }: Session,
  { id, yes, dryRun, ...range }: RevertRequest,
): Promise<void> {
  const start = async (dry_run: boolean) =>
    followJob(api, await api.post<Job>(`/${id}/revert`, { ...range, dry_run }), context);
  if (dryRun || !yes) {
    const preview = await start(true);
    if (dryRun) {
      show(preview, describe);
      return;
    }
    context.warn(describe(preview));
    await confirm(context, "Undo it?", yes);
  }
  show(await start(false), describe);
}

function describe({ id, dry_run, result }: Job): string {
  const begin = dry_run ? "This would happen:" : `Done (job ${id}):`;
  return [begin, ...undoSentences(result ?? {}).map((each) => `  ${each}`)].join("\n");
}
