import { isObject, nonEmptyText } from "@muster/protocol";

/** The location of an IP address, as far as the database has it. */
export interface Location {
  country?: string;
  region?: string;
  city?: string;
  latitude?: number;
  longitude?: number;
  timezone?: string;
}

export interface UserAgent {
  browser?: { name?: string; version?: string };
  os?: { name?: string; version?: string };
  device?: { name?: string; type?: string };
}

/** The lookups that the context of an event needs. The caller provides them, because they read tables from files. */
export interface ContextReaders {
  locate(ip: string): Location | undefined;
  readUserAgent(text: string): UserAgent;
}

const CAMPAIGN_KEYS = ["source", "medium", "name", "term", "content"] as const;

/** The context of an event: what its IP address, pages and user agent tell, added to the context the client gave. */
export function eventContext(
  body: Record<string, unknown>,
  given: Record<string, unknown>,
  readers: ContextReaders,
): Record<string, unknown> {
  const ip = addressOf(body, given);
  const page = pageOf(nonEmptyText(body.url) ?? nonEmptyText(given.url));
  const referrer = pageOf(nonEmptyText(body.referer) ?? nonEmptyText(body.referrer) ?? nonEmptyText(given.referer));
  const userAgent = nonEmptyText(body.useragent) ?? nonEmptyText(given.useragent) ?? nonEmptyText(given.userAgent);
  const campaign = page && campaignOf(page.url);
  const location = ip && readers.locate(ip);
  const { ip: _ip, url: _url, referer: _referer, userAgent: _agent, useragent: _useragent, ...rest } = given;
  return {
    // What a client says of its device is more exact than what its user agent tells.
    ...(userAgent ? { useragent: userAgent, ...readers.readUserAgent(userAgent) } : {}),
    ...rest,
    ...(ip ? { ip } : {}),
    ...(location ? { location } : {}),
    ...(page ? { page: { ...(isObject(given.page) ? given.page : {}), ...page } } : {}),
    ...(referrer ? { referrer } : {}),
    ...(campaign ? { campaign } : {}),
  };
}

/** Each of them means that there is no address: a server sent the event, or the page does not tell it. */
const NO_ADDRESSES = ["", "0", "0.0.0.0"];

/** The IP address of the user. `null` and `0` mean that a server sent the event, so there is no address. */
export function addressOf(body: Record<string, unknown>, given: Record<string, unknown>): string | undefined {
  const ip = body.ip === undefined ? given.ip : body.ip;
  return typeof ip === "string" && !NO_ADDRESSES.includes(ip) ? ip : undefined;
}

function pageOf(url: string | undefined): { url: string; host?: string; path?: string } | undefined {
  if (url === undefined) return undefined;
  if (!URL.canParse(url)) return { url };
  const { host, pathname } = new URL(url);
  return { url, host, path: pathname };
}

function campaignOf(url: string): Record<string, string> | undefined {
  if (!url.includes("utm_") || !URL.canParse(url)) return undefined;
  const parameters = new URL(url).searchParams;
  const found = CAMPAIGN_KEYS.flatMap((key) => {
    const value = parameters.get(key === "name" ? "utm_campaign" : `utm_${key}`);
    return value ? [[key, value] as const] : [];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}
