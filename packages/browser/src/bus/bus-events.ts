import type { PageConfig, User } from "../page-config.js";
import type { BusContext, Listener } from "./bus.js";

type Start<Client> = [client: Client, me: User | false, app: PageConfig["app"], org: PageConfig["org"]];

/** The events of the library and their arguments, with the default brand word. */
export interface BusEvents<Client> {
  "svc.init": Start<Client>;
  "svc.ready": Start<Client>;
  /** The scripts of the connectors on this page are loaded. */
  "svc.ships.ready": [];
  "svc.user.login": [me: User];
  "svc.user.logout": [];
  "svc.user.fail": [error: Error & { code: string }];
  /** The user has changed; false when nobody is signed in any more. */
  "svc.user.update": [me: User | false];
  "svc.track": [properties: object];
  /** The attributes as they were given to `traits`, with their operations. */
  "svc.traits": [event: object];
}

/** A listener of an event of the library, or of any other event. */
export type ListenerOf<Client, Name extends string> = Name extends keyof BusEvents<Client>
  ? (this: BusContext, ...args: BusEvents<Client>[Name]) => unknown
  : Listener;
