import { nonEmptyText, type UserClaims } from "@muster/protocol";
import { invalid, type Refused } from "../entries/admit-entry.js";
import type { Entry } from "../entries/entry.js";
import { isStorableIdentifier } from "../identity/identifiers.js";
import { type Call, idOf, objectOf } from "./call.js";
import { isChoice, readConsents } from "./call-consents.js";
import { hidesAddress } from "./call-context.js";
import { HINTS, VIEW_EVENTS } from "./call-mapping.js";
import { readTraits } from "./read-traits.js";

/** What a call says: the fields of an entry that differ from call to call. */
export type Said = Pick<Entry, "type" | "subject" | "user" | "account" | "body">;

/** What a call says when its sender is believed. */
export function sayWithProof(call: Call): Said | Refused {
  const { type, given, context } = call;
  const user = claimsOf(call);
  if (type === "group") return sayGroup(call, user);
  if (type === "alias") {
    const previous = idOf(given.previousId);
    if (call.userId === undefined || previous === undefined)
      return invalid("An alias needs a userId and a previousId.");
    // Some libraries send this. It says nothing new.
    if (previous === call.userId) return { type: "traits", subject: "user", user: { external_id: previous }, body: {} };
    return { type: "alias", subject: "user", user: { external_id: call.userId }, body: { anonymous_id: previous } };
  }
  if (!user) return invalid("The call names nobody: it needs a userId or an anonymousId.");
  if (isChoice(call)) return { type: "traits", subject: "user", user, body: readConsents(call) };
  if (type !== "identify") return sayEvent(call, user);
  const traits = { ...objectOf(context.traits), ...objectOf(given.traits) };
  return { type: "traits", subject: "user", user, body: { ...readTraits("user", traits), ...readConsents(call) } };
}

/**
 * What a call says when everybody can have sent it. It is about the visitor, whom the anonymous id names; ids of users and
 * accounts are kept as hints.
 */
export function sayAsPage(call: Call): Said | Refused {
  const { type, given, context, userId } = call;
  const anonymousId = call.anonymousId ?? (type === "alias" ? idOf(given.previousId) : undefined);
  if (anonymousId === undefined) {
    return invalid("A call with a page key needs an anonymousId: a userId proves nothing there.");
  }
  const user = { anonymous_id: anonymousId };
  if (isChoice(call)) return { type: "traits", subject: "user", user, body: readConsents(call) };
  if (type === "track" || type === "page" || type === "screen") return sayEvent(call, user);
  const groupId = type === "group" ? idOf(given.groupId) : undefined;
  if (type === "group" && groupId === undefined) return invalid("A group call needs a groupId.");
  const traits = type === "identify" ? { ...objectOf(context.traits), ...objectOf(given.traits) } : {};
  return {
    type: "traits",
    subject: "user",
    user,
    body: {
      ...readTraits("user", traits),
      ...(type === "identify" ? readConsents(call) : {}),
      ...(userId === undefined ? {} : { [HINTS.user]: userId }),
      ...(groupId === undefined ? {} : { [HINTS.account]: groupId }),
    },
  };
}

function sayGroup({ given }: Call, user: UserClaims | undefined): Said | Refused {
  const groupId = idOf(given.groupId);
  if (groupId === undefined) return invalid("A group call needs a groupId.");
  const traits = objectOf(given.traits);
  const domain = identifierIn(traits.domain) ?? identifierIn(traits.website);
  const account = { external_id: groupId, ...(domain === undefined ? {} : { domain }) };
  return {
    type: "traits",
    subject: "account",
    ...(user ? { user } : {}),
    account,
    body: readTraits("account", traits),
  };
}

function sayEvent({ type, given, context }: Call, user: UserClaims): Said {
  const { name, category } = given;
  const isView = type === "page" || type === "screen";
  const sessionId = idOf(context.sessionId);
  const properties = {
    ...objectOf(given.properties),
    ...(isView && nonEmptyText(name) !== undefined ? { name } : {}),
    ...(isView && nonEmptyText(category) !== undefined ? { category } : {}),
  };
  return {
    type: "track",
    subject: "user",
    user,
    body: {
      event: isView ? VIEW_EVENTS[type] : given.event,
      properties,
      ...(isView ? { type } : {}),
      ...(sessionId === undefined ? {} : { session_id: sessionId }),
      ...(hidesAddress(context) ? { ip: null } : {}),
    },
  };
}

/** Whom a call is about. An identify call may name the user by the email alone, or together with the ids. */
function claimsOf({ type, given, context, userId, anonymousId }: Call): UserClaims | undefined {
  // The traits of a group call are those of the account.
  const own = type === "identify" ? objectOf(given.traits).email : undefined;
  const email = identifierIn(own ?? objectOf(context.traits).email);
  const takesEmail =
    email !== undefined && (type === "identify" || (userId === undefined && anonymousId === undefined));
  if (userId === undefined && anonymousId === undefined && !takesEmail) return undefined;
  return {
    ...(userId === undefined ? {} : { external_id: userId }),
    ...(takesEmail ? { email } : {}),
    ...(anonymousId === undefined ? {} : { anonymous_id: anonymousId }),
  };
}

function identifierIn(value: unknown): string | undefined {
  const text = nonEmptyText(value)?.trim();
  return text && isStorableIdentifier(text) ? text : undefined;
}
