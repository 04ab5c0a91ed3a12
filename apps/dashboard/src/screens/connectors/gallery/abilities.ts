import { asObject, objectsIn } from "../../../ui/code/json-parts.js";

/** What a connector will be able to do, in sentences, as its manifest says. */
export function abilities(manifest: Readonly<Record<string, unknown>>): string[] {
  const channels = new Set(objectsIn(manifest.subscriptions).flatMap(channelsOf));
  const tags = Array.isArray(manifest.tags) ? manifest.tags : [];
  const filtered = JSON.stringify(manifest.subscriptions ?? []).includes("segments");
  const when = filtered ? " when they change, if they are in the segments that you choose" : " when they change";
  const services = [...objectsIn(manifest.private_settings), ...objectsIn(manifest.settings)]
    .filter(({ format }) => format === "oauth")
    .map(({ options, title, name }) => String(asObject(options)?.name ?? title ?? name));
  const schedules = objectsIn(manifest.schedules).length;
  return [
    "It gets credentials of its own. With them it can read and write all users, accounts and events of this organization.",
    ...(has(channels, "user:update") ? [`It is sent users with their attributes and events${when}.`] : []),
    ...(has(channels, "account:update") ? [`It is sent accounts with their attributes${when}.`] : []),
    ...(tags.includes("batch") || tags.includes("batch-accounts") ? ["You can send it whole segments at once."] : []),
    ...(objectsIn(manifest.incoming).length > 0 ? ["It takes webhooks of other services."] : []),
    ...(schedules > 0 ? ["It is called on a schedule."] : []),
    ...services.map((service) => `It asks you to sign in to ${service}.`),
    ...(typeof manifest.index === "string" && tags.includes("client")
      ? ["It runs a script on the web pages where you place it."]
      : []),
    ...(objectsIn(manifest.tabs).length > 0 || objectsIn(manifest.html).length > 0
      ? ["It shows pages of its own in this dashboard, in frames that cannot reach the dashboard."]
      : []),
  ];
}

/** The channels of a subscription; it gets all of them when it names none. */
function channelsOf({ conditions, channels }: Record<string, unknown>): string[] {
  const only = asObject(asObject(conditions)?.channels)?.only;
  if (Array.isArray(only)) return only.map(String);
  const named = objectsIn(channels).map(({ channel }) => String(channel));
  return named.length > 0 ? named : ["*"];
}

function has(channels: ReadonlySet<string>, channel: string): boolean {
  return channels.has("*") || channels.has(channel);
}
