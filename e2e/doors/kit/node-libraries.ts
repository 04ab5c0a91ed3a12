import { createRequire } from "node:module";
import Rudder from "@rudderstack/rudder-sdk-node";
import { Analytics } from "@segment/analytics-node";
import type { CallType, Message, Target } from "./story.js";

const require = createRequire(import.meta.url);

/** A public library, as its package has it. */
export interface Library {
  name: string;
  version: string;
  open(target: Target): OpenLibrary;
}

export interface OpenLibrary {
  /** Resolves when the library has delivered the call, rejects when it has given the call up. */
  send(type: CallType, message: Message): Promise<void>;
  close(): Promise<void>;
}

/** All of them have a method for each type of call, which takes a message and a callback. */
type Methods = Record<CallType, (message: Message, callback: (error?: unknown) => void) => unknown>;

/** Small batches, which are sent soon. */
const BATCHES = { flushAt: 5, flushInterval: 50 };
/** By default these two give a batch up after two seconds. A server that is started again takes longer. */
const PATIENT = { retryCount: 500, axiosRetryConfig: { retryDelay: () => 300 } };

/** The old library has no types. */
const OldAnalytics = require("analytics-node") as new (key: string, options: object) => Methods & FlushedLibrary;

interface FlushedLibrary {
  flush(): Promise<unknown>;
}

export const NODE_LIBRARIES: readonly Library[] = [
  {
    ...packageOf("@segment/analytics-node"),
    open({ url, key }) {
      const library = new Analytics({ writeKey: key, host: url, ...BATCHES });
      return { send: sending(library as unknown as Methods), close: () => library.closeAndFlush() };
    },
  },
  {
    ...packageOf("analytics-node"),
    open({ url, key }) {
      const library = new OldAnalytics(key, { host: url, ...BATCHES, ...PATIENT });
      return { send: sending(library), close: async () => void (await library.flush()) };
    },
  },
  {
    ...packageOf("@rudderstack/rudder-sdk-node"),
    open({ url, key }) {
      const library = new Rudder(key, { dataPlaneUrl: url, logLevel: "none", ...BATCHES, ...PATIENT });
      return { send: sending(library as unknown as Methods), close: async () => void (await library.flush()) };
    },
  },
];

function sending(library: Methods): OpenLibrary["send"] {
  return (type, message) =>
    new Promise((resolve, reject) => {
      library[type](message, (error) => (error ? reject(error) : resolve()));
    });
}

/** The name and the version of a package, as `load` finds it. */
export function packageOf(name: string, load: NodeJS.Require = require): { name: string; version: string } {
  const { version } = load(`${name}/package.json`) as { version: string };
  return { name, version };
}
