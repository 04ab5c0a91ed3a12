import { ConfigurationError, type Context, RateLimitError, TransientError } from "@muster/connector";
import { isPending, type Outcome } from "../thread/outcome.js";

/** The error that makes Muster send the messages again when it can help. */
export async function throwPending(ctx: Context, worst: Outcome | undefined): Promise<void> {
  if (!worst || !isPending(worst)) return;
  const { kind, reason = "The service did not take the messages.", clearsAt } = worst;
  if (kind === "settings") {
    await ctx.client.put("/app/status", { status: "error", messages: [reason] });
    throw new ConfigurationError(reason);
  }
  if (kind === "limited")
    throw new RateLimitError(reason, clearsAt === undefined ? {} : { clearsAt: new Date(clearsAt) });
  throw new TransientError(reason);
}
