import { lazyFile } from "../../ui/state/lazy-file.js";

/** The files of the tabs of events, as the address names them. */
export const EVENT_TABS = {
  history: lazyFile(() => import("./history/history-tab.js")),
  names: lazyFile(() => import("./names/names-tab.js")),
  refused: lazyFile(() => import("./refused/refused-tab.js")),
};
