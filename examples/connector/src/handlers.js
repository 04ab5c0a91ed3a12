import { ConfigurationError, createHttp, RateLimitError, TransientError } from "@muster/connector";

/** @typedef {import("@muster/connector").Context} Context */
/** @typedef {import("@muster/connector").ChannelMessages["user:update"]} UserMessage */

/** The parts of a user that the CRM is told. */
const SENT = ["email", "name", "traits_plan"];

/**
 * Called with the users that changed.
 *
 * @param {Context} ctx
 * @param {UserMessage[]} messages
 */
export async function userUpdate(ctx, messages) {
  for (const message of messages) {
    const report = isNews(message) ? await saveContact(ctx, message.user) : NO_NEWS;
    ctx.report(message, report);
  }
}

/** @type {import("@muster/connector").Report} */
const NO_NEWS = { result: "skipped", reason: "Nothing has changed that the CRM keeps." };

/**
 * What this connector writes itself comes back as a change. The CRM knows it already.
 *
 * @param {UserMessage} message
 */
function isNews({ user, changes, matchesFilter }) {
  if (!matchesFilter || !user.email) return false;
  return !user["traits_crm/id"] || SENT.some((key) => key in changes.user);
}

/** @returns {Promise<import("@muster/connector").Report>} */
async function saveContact(ctx, user) {
  const { api_url: url, api_key: key } = ctx.connector.private_settings;
  if (!url || !key) throw new ConfigurationError("The address or the API key of the CRM is missing.");
  const contact = { email: user.email, name: user.name, plan: user.traits_plan };
  const request = createHttp(ctx).post(`${url}/contacts`).set("Authorization", `Bearer ${key}`).send(contact);
  const scoped = ctx.client.asUser({ id: user.id });
  try {
    const { body, status } = await request;
    await scoped.traits({ "crm/id": body.id });
    return { result: "accepted", status };
  } catch (error) {
    const { status, text } = error.response ?? {};
    if (status !== 422) throw asRepeatable(error);
    // The CRM would refuse this contact again. The other contacts go on, and people see what the CRM answered.
    scoped.logger.error("outgoing.user.error", { hull_summary: "The CRM refused a contact." });
    return { result: "refused", status, body: text };
  }
}

/** The class of an error decides when Muster sends the same messages again. */
function asRepeatable(error) {
  const { status, headers } = error.response ?? {};
  if (status === 401) return new ConfigurationError("The CRM refused the API key: give another one.");
  if (status === 429) {
    const seconds = Number(headers["retry-after"] ?? 60);
    return new RateLimitError("The CRM takes no calls for now.", { clearsAt: new Date(Date.now() + seconds * 1_000) });
  }
  return status >= 500 ? new TransientError("The CRM does not work at the moment.", { cause: error }) : error;
}

/** The manifest subscribes to `ship:update`, so that new settings take effect at once. */
export function shipUpdate() {}

/**
 * Called every five minutes, and when somebody changes the settings.
 *
 * @param {Context} ctx
 * @returns {import("@muster/connector").StatusAnswer}
 */
export function status({ connector }) {
  const { api_url: url, api_key: key, synchronized_segments: segments } = connector.private_settings;
  if (!url || !key) return { status: "setupRequired", messages: ["Give the address and the API key of the CRM."] };
  if (!segments?.length) return { status: "warning", messages: ["No segment is chosen, so nobody is sent."] };
  return { status: "ok", messages: [] };
}
