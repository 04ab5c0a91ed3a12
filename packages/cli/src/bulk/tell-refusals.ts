import type { RefusalReason } from "@muster/protocol/api/imports";
import type { Job } from "@muster/protocol/api/jobs";
import type { Api } from "../api.js";
import type { CommandContext } from "../command-context.js";
import { counted } from "../output/counted.js";

/** Writes why rows of an import were refused, the most frequent reason first. Returns whether no row was left. */
export async function tellRefusals(api: Api, { id, progress }: Job, context: CommandContext): Promise<boolean> {
  const { rejected, processed } = progress;
  if (rejected === 0) return false;
  const { reasons } = await api.get<{ reasons: RefusalReason[] }>(`/imports/${id}/reasons`);
  const isAll = rejected === processed;
  const share = isAll
    ? rejected === 1
      ? "the only row"
      : `all ${counted(rejected, "rows")}`
    : `${counted(rejected, "rows")} of ${processed.toLocaleString("en")}`;
  context.warn(`Refused, as a whole or in part: ${share}.`);
  for (const { rows, first_line, message } of reasons) {
    const where = rows === 1 ? `line ${first_line}` : `${counted(rows, "rows")}, first in line ${first_line}`;
    context.warn(`  ${where}: ${message}`);
  }
  return isAll;
}
