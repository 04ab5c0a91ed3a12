/** What every library tells about a user of its own. */

export const CALL_TYPES = ["identify", "track", "page", "screen", "group", "alias"] as const;
export type CallType = (typeof CALL_TYPES)[number];
export type Message = Record<string, unknown>;

/** Where a library sends to, and its write key. */
export interface Target {
  url: string;
  key: string;
}

/** A day ago, so that it cannot be mistaken for the time of receiving. */
const HAPPENED_AT = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 24 * 60 * 60 * 1_000);

/** Tells apart what one library says. */
export function idsOf(library: string) {
  const name = library.replace(/\W+/g, "-").replace(/^-/, "");
  return {
    user: `user of ${name}`,
    account: `account of ${name}`,
    visitor: `visitor-${name}`,
    email: `${name}@example.com`,
  };
}
export type Ids = ReturnType<typeof idsOf>;

export const TRAITS = { firstName: "Ada", plan: "pro", seats: 3 };
export const COMPANY = { name: "Acme", employees: 12 };
export const ORDER = { total: 42.5, items: ["tea", "milk"] };
export const CAMPAIGN = { name: "spring", source: "mail", medium: "email" };
const PAGE = { url: "https://shop.example/checkout", referrer: "https://search.example/", title: "Checkout" };
const IP = "203.0.113.9";

/** A visitor who becomes known, orders, looks around, and belongs to a company. */
export function tellStory({ user, account, visitor, email }: Ids): [CallType, Message][] {
  return [
    ["track", { anonymousId: visitor, event: "Cart viewed" }],
    ["identify", { userId: user, traits: { ...TRAITS, email } }],
    [
      "track",
      {
        userId: user,
        event: "Order completed",
        properties: ORDER,
        timestamp: HAPPENED_AT,
        context: { ip: IP, page: PAGE, campaign: CAMPAIGN },
      },
    ],
    ["page", { userId: user, category: "Docs", name: "Pricing", properties: { url: "https://shop.example/pricing" } }],
    ["screen", { userId: user, name: "Main", properties: { tab: 2 } }],
    ["group", { userId: user, groupId: account, traits: COMPANY }],
    ["alias", { userId: user, previousId: visitor }],
  ];
}

/** What must then be known. */
export function knownAfter({ user, account, visitor, email }: Ids) {
  return {
    user: {
      external_id: user,
      email,
      first_name: TRAITS.firstName,
      traits_plan: TRAITS.plan,
      traits_seats: TRAITS.seats,
      anonymous_ids: [visitor],
      account: { external_id: account, ...COMPANY },
    },
    order: {
      created_at: HAPPENED_AT.toISOString(),
      properties: ORDER,
      context: { ip: IP, page: PAGE, campaign: CAMPAIGN },
    },
    views: {
      "Page viewed": { category: "Docs", name: "Pricing", url: "https://shop.example/pricing" },
      "Screen viewed": { name: "Main", tab: 2 },
    },
    events: ["Cart viewed", "Order completed", "Page viewed", "Screen viewed"],
  };
}
