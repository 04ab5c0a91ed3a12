import type { Deployment } from "../embed/embedder.js";
import type { TrackFormCall } from "../page/track-form.js";
import type { EventOptions, Properties } from "./client-types.js";

/** The client of one connector on a page. It has all calls of the library, and knows which connector makes them. */
export type Scoped<Client> = Client & { readonly deployment: Deployment; readonly ship: Deployment["ship"] };

interface Tracking {
  track(event: string, properties?: Properties, options?: EventOptions): Promise<true>;
  trackForm(
    forms: TrackFormCall["forms"],
    event: TrackFormCall["event"],
    properties?: TrackFormCall["properties"],
    options?: EventOptions,
  ): void;
}

/** A client for one connector. The events that it records have the connector's id as their `source`. */
export function scopeClient<Client extends Tracking>(client: Client, deployment: Deployment): Scoped<Client> {
  const { ship } = deployment;
  const origin = { source: ship.id };
  const own: Tracking & Record<string | symbol, unknown> = {
    deployment,
    ship,
    track: (event, properties, options) => client.track(event, properties, { ...options, ...origin }),
    trackForm: (forms, event, properties, options) =>
      client.trackForm(forms, event, properties, { ...options, ...origin }),
  };
  const get = (_client: Client, name: string | symbol): unknown => {
    if (Object.hasOwn(own, name)) return own[name];
    const value: unknown = Reflect.get(client, name);
    return typeof value === "function" ? value.bind(client) : value;
  };
  // The properties that the client does not have are in `own`.
  return new Proxy(client, { get }) as Scoped<Client>;
}
