import type { BundledName } from "../../domain/connectors/bundled-address.js";

/** What the process of the bundled connectors is told when it starts. It has secrets, so it goes over the channel between the two. */
export interface ChildSettings {
  /** The Unix socket to listen on. */
  socket: string;
  /** Has a folder for each connector, with its manifest, its readme and its pages. */
  connectorsFolder: string;
  /** Where this server answers the calls of connectors. */
  platformUrl: string;
  /** Where others reach this server. */
  publicUrl: string;
  brand: string;
  /** Lets connectors reach private addresses that customers chose. */
  allowPrivateNetwork: boolean;
  /** Sign the tokens in the addresses of webhooks and pages. */
  hostSecrets: Record<BundledName, string>;
  /** For the process of the destinations: their installation, and what their own secrets are made from. */
  destinations: { folder: string; hostSecret: string };
}

/** What the process says when it listens. */
export const LISTENING = "listening";
