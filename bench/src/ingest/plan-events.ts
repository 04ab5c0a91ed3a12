import { LOAD_EVENTS } from "../dataset/words.js";
import type { Api } from "../lib/api.js";

/** The properties of generated events, with their types. */
const FOLLOWED = { path: "string", amount: "number", label: "string" };
/** Every generated event has a property of another type, lacks one, and has one that the plan does not know. */
const BROKEN = { path: "number", amount: "number", currency: "string" };

/** Gives all events of the load a tracking plan, which they follow or do not follow. Nothing is refused. */
export async function planEvents(api: Api, isFollowed: boolean): Promise<void> {
  const types = Object.entries(isFollowed ? FOLLOWED : BROKEN);
  const properties = types.map(([name, type]) => ({ name, type, required: true, description: "" }));
  for (const event of LOAD_EVENTS) await api("PUT", "/events/plan", { event, properties });
}

export async function forgetPlans(api: Api): Promise<void> {
  for (const event of LOAD_EVENTS) await api("PUT", "/events/plan", { event, properties: null });
}
