import { reply } from "@muster/connector";

/**
 * The CRM calls it when somebody has changed a contact there.
 *
 * @param {import("@muster/connector").Context} ctx
 * @param {import("@muster/connector").IncomingRequest} request
 */
export async function contactChanged(ctx, { body }) {
  const { id, email, stage } = body?.contact ?? {};
  if (typeof email !== "string") return reply(400, { error: "The contact has no email." });
  const user = ctx.client.asUser({ email });
  const [, { position }] = await Promise.all([
    user.traits({ "crm/id": id, "crm/stage": stage }),
    user.track("Stage changed", { stage }, { source: "crm" }),
  ]);
  return { position };
}

/** Shown in the settings. The token in the address opens this address alone. */
export function webhookAddress(ctx) {
  return { message: ctx.helpers.webhookUrl("/webhook") };
}
