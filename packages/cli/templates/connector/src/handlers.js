/**
 * Called with the users that changed.
 *
 * @param {import("@muster/connector").Context} ctx
 * @param {import("@muster/connector").ChannelMessages["user:update"][]} messages
 */
export async function userUpdate(ctx, messages) {
  const news = messages.filter(({ matchesFilter, user }) => matchesFilter && !user["traits_my-connector/seen_at"]);
  await Promise.all(
    news.map(({ user }) =>
      ctx.client.asUser({ id: user.id }).traits({ "my-connector/seen_at": new Date().toISOString() }),
    ),
  );
}

/**
 * Called every five minutes. Returns the status that the dashboard shows.
 *
 * @param {import("@muster/connector").Context} ctx
 */
export function status(ctx) {
  const { synchronized_segments: segments = [] } = ctx.connector.private_settings;
  if (Array.isArray(segments) && segments.length > 0) return { status: "ok", messages: [] };
  return { status: "warning", messages: ["No segment is chosen, so nobody is marked."] };
}
