import { lazyFile } from "../../ui/state/lazy-file.js";

/** The files of the tabs of a connector, as the address names them. Tabs with a page of the connector itself share one. */
export const CONNECTOR_TABS = {
  overview: lazyFile(() => import("./overview/overview-tab.js")),
  settings: lazyFile(() => import("./settings/settings-tab.js")),
  mapping: lazyFile(() => import("./mapping/mapping-tab.js")),
  keys: lazyFile(() => import("./keys/keys-tab.js")),
  processor: lazyFile(() => import("./processor/processor-tab.js")),
  logs: lazyFile(() => import("./logs/logs-tab.js")),
  deliveries: lazyFile(() => import("./deliveries/deliveries-tab.js")),
  readme: lazyFile(() => import("./readme/readme-tab.js")),
};
