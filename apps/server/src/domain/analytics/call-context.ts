import { isObject, nonEmptyText } from "@muster/protocol";
import { type CallSender, isProof } from "./call-sender.js";
import type { Integrations } from "./integrations.js";

/** Whether a call says that the visitor's address is not to be kept: this is what privacy tools send in its place. */
export function hidesAddress({ ip }: Record<string, unknown>): boolean {
  return ip === "0.0.0.0";
}

/**
 * What is kept with an event of the call's `context`: all but the traits, which belong to the user. The URL and the referrer
 * are where events of other senders have them.
 */
export function callContext(
  { traits: _traits, page, userAgent, ip, ...rest }: Record<string, unknown>,
  properties: Record<string, unknown>,
  sender: CallSender,
  integrations: Integrations | undefined,
): Record<string, unknown> {
  const pageFields = isObject(page) ? page : {};
  const url = nonEmptyText(pageFields.url) ?? nonEmptyText(properties.url);
  const referer = nonEmptyText(pageFields.referrer) ?? nonEmptyText(properties.referrer);
  const agent = nonEmptyText(userAgent) ?? ofVisitor(sender, sender.userAgent);
  const address = addressOf(ip, sender);
  return {
    ...rest,
    ...(isObject(page) ? { page } : {}),
    ...(url === undefined ? {} : { url }),
    ...(referer === undefined ? {} : { referer }),
    ...(agent === undefined ? {} : { userAgent: agent }),
    ...(address === undefined ? {} : { ip: address }),
    ...(integrations ? { integrations } : {}),
  };
}

/** The visitor's address. A page does not choose it, because limits count by it. The address of a server is not that of its users. */
function addressOf(given: unknown, sender: CallSender): string | undefined {
  return isProof(sender) ? (nonEmptyText(given) ?? ofVisitor(sender, sender.ip)) : sender.ip;
}

/** What a request tells about the visitor who makes it. The request of a server tells nothing about its users. */
function ofVisitor<T>({ writeKey }: CallSender, value: T): T | undefined {
  return writeKey.kind === "page" ? value : undefined;
}
