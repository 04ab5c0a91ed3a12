import { setTimeout as sleep } from "node:timers/promises";
import type { DemoConnectors } from "../connectors.js";
import type { DemoOrganization } from "../demo-organization.js";
import type { Act } from "./acts.js";
import { Acts } from "./acts.js";

export interface Movement {
  connectors: DemoConnectors | undefined;
  onNews(sentence: string): void;
  onSent(records: number): void;
}

const TURN_MS = 250;

/** Lets things happen in the company until the signal, about `rate` of them a second. */
export async function keepMoving(
  demo: DemoOrganization,
  movement: Movement,
  rate: number,
  signal: AbortSignal,
): Promise<void> {
  const acts = createActs(demo);
  let sent = 0;
  let owed = 1;
  let lastAt = performance.now();
  while (!signal.aborted) {
    const due = Array.from({ length: Math.floor(owed) }, () => acts.next(Date.now()));
    sent += (await perform(demo, due, movement)).records;
    movement.onSent(sent);
    await sleep(TURN_MS, undefined, { signal }).catch(() => undefined);
    const now = performance.now();
    // After a long pause, such as a suspended machine, the missed acts are dropped.
    owed = (owed % 1) + (Math.min(now - lastAt, 4 * TURN_MS) * rate) / 1_000;
    lastAt = now;
  }
}

/** Lets some things happen at once, and waits until there are messages about them for the connectors. */
export async function moveOnce(demo: DemoOrganization, connectors: DemoConnectors, count: number): Promise<void> {
  const acts = createActs(demo);
  const now = Date.now();
  const first = [acts.signUp(now), acts.trial(now), acts.planChange(now), acts.health(now)];
  const others = Array.from({ length: count }, () => acts.next(now));
  const { position } = await perform(demo, [...first, ...others], { connectors, onNews: () => {} });
  if (position !== undefined) await demo.gateway.waitFor(position);
}

function createActs({ notes: { seed, users } }: DemoOrganization): Acts {
  return new Acts({ seed, users, run: Date.now().toString(36) });
}

async function perform(
  demo: DemoOrganization,
  acts: readonly Act[],
  { connectors, onNews }: Pick<Movement, "connectors" | "onNews">,
): Promise<{ records: number; position: string | undefined }> {
  const sayings = acts.flatMap((act) => act.sayings);
  const position = await demo.gateway.send(sayings);
  for (const { news } of acts) if (news !== undefined) onNews(news);
  const payments = acts.flatMap(({ payment }) => payment ?? []);
  if (connectors) await Promise.all(payments.map(({ customer, amount }) => connectors.reportPayment(customer, amount)));
  return { records: sayings.length, position };
}
