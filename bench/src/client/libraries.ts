import { setImmediate } from "node:timers/promises";

/** A library under measurement. It is loaded only in the process that drives it, so that its memory is measured alone. */
interface Driven {
  track(n: number): void;
  /** Resolves when everything tracked so far has been sent. */
  flush(): Promise<void>;
}

interface Address {
  host: string;
  port: number;
}

type Open = (address: Address) => Promise<Driven>;

const EVENT = "Order placed";
const USERS = 1_000;

function userOf(n: number): string {
  return `user-${n % USERS}`;
}

function propertiesOf(n: number) {
  return { n, total: 120.5, currency: "EUR", items: 3, coupon: "SPRING", sku: `sku-${n % 97}` };
}

// "large batches" is the size that each library allows, so that a small default is no disadvantage. The queues hold a whole burst.
const LARGE = 1_000;
const QUEUE = 100_000;
const NEVER_MS = 3_600_000;

export const LIBRARIES: Record<string, Open> = {
  "@muster/client": (address) => openMuster(address, {}),
  "@muster/client, no gzip": (address) => openMuster(address, { gzip: false }),
  "@segment/analytics-node": (address) => openSegment(address, {}),
  "@segment/analytics-node, large batches": (address) => openSegment(address, { flushAt: LARGE }),
  "posthog-node": (address) => openPostHog(address, {}),
  "posthog-node, large batches": (address) =>
    openPostHog(address, { flushAt: LARGE, maxBatchSize: LARGE, maxQueueSize: QUEUE }),
  "@rudderstack/rudder-sdk-node": (address) => openRudder(address, {}),
  // Before each call it turns its whole queue into text to measure it, so larger batches make it slower.
  "@rudderstack/rudder-sdk-node, batches of 100": (address) => openRudder(address, { flushAt: 100 }),
};

async function openMuster({ host, port }: Address, batching: { gzip?: boolean }): Promise<Driven> {
  const { Client } = await import("@muster/client");
  const client = new Client({
    id: "0198c2a4f1d002a1b2c3d4e5",
    secret: "a-secret-of-thirty-two-characters",
    organization: `${host}:${port}`,
    protocol: "http",
    batching,
  });
  return {
    // One scoped client for each call, as a server makes them for its requests.
    track: (n) => void client.asUser({ external_id: userOf(n) }).track(EVENT, propertiesOf(n)),
    flush: () => client.flush(),
  };
}

async function openSegment({ host, port }: Address, settings: { flushAt?: number }): Promise<Driven> {
  const { Analytics } = await import("@segment/analytics-node");
  const url = `http://${host}:${port}`;
  const analytics = new Analytics({ writeKey: "key", host: url, flushInterval: NEVER_MS, ...settings });
  return {
    track: (n) => analytics.track({ userId: userOf(n), event: EVENT, properties: propertiesOf(n) }),
    flush: () => analytics.flush(),
  };
}

async function openPostHog({ host, port }: Address, options: object): Promise<Driven> {
  const { PostHog } = await import("posthog-node");
  const posthog = new PostHog("key", { host: `http://${host}:${port}`, ...options });
  return {
    track: (n) => posthog.capture({ distinctId: userOf(n), event: EVENT, properties: propertiesOf(n) }),
    flush: () => posthog.flush(),
  };
}

async function openRudder({ host, port }: Address, options: object): Promise<Driven> {
  const { default: RudderAnalytics } = await import("@rudderstack/rudder-sdk-node");
  const url = `http://${host}:${port}`;
  const rudder = new RudderAnalytics("key", { dataPlaneUrl: url, flushInterval: NEVER_MS, ...options });
  let outstanding = 0;
  const onSent = () => {
    outstanding -= 1;
  };
  return {
    track(n) {
      outstanding += 1;
      rudder.track({ userId: userOf(n), event: EVENT, properties: propertiesOf(n) }, onSent);
    },
    async flush() {
      // One call flushes one batch, and its promise may resolve before the batch is sent; the callbacks are reliable.
      while (outstanding > 0) {
        await rudder.flush();
        await setImmediate();
      }
    },
  };
}
