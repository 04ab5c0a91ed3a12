import type { EventPlanChange } from "@muster/protocol/api/events";
import type { DemoOrganization } from "./demo-organization.js";

/** What people call attributes whose names say too little. */
const LABELS = {
  user: {
    lead_score: "Lead score",
    last_order_at: "Last order",
    signed_up_at: "Signed up",
    trial_ends_at: "Trial ends",
  },
  account: { mrr: "Monthly revenue", health_score: "Health", renewal_date: "Renewal" },
} as const;

/** What the company has agreed about its events. */
const PLANS: readonly EventPlanChange[] = [
  {
    event: "Order placed",
    description: "Tea was ordered in the shop.",
    owner: "Shop",
    properties: [
      { name: "total", type: "number", required: true, description: "In euros." },
      { name: "boxes", type: "number", required: true },
      { name: "teas", type: "array" },
      { name: "is_gift", type: "boolean" },
    ],
  },
  { event: "Added to cart", description: "A tea was put into the cart.", owner: "Shop" },
  {
    event: "Review written",
    description: "Somebody has rated a tea.",
    owner: "Marketing",
    properties: [
      { name: "tea", type: "string", required: true },
      { name: "stars", type: "number", required: true, description: "From 1 to 5." },
    ],
  },
];

/** Plans the events, before they come. An organization that was there before keeps its own plans. */
export async function planEvents({ api, notes }: DemoOrganization): Promise<void> {
  if (!notes.owns_organization) return;
  for (const plan of PLANS) await api.put("/events/plan", plan);
}

/** Labels attributes, which are there by then. An organization that was there before keeps its own words. */
export async function labelAttributes({ api, notes }: DemoOrganization): Promise<void> {
  if (!notes.owns_organization) return;
  for (const subject of ["user", "account"] as const) {
    for (const [name, label] of Object.entries(LABELS[subject])) {
      await api.put(`/settings/${subject}_traits/${name}`, { label });
    }
  }
}
