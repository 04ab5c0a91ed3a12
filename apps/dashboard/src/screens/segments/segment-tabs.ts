import { lazyFile } from "../../ui/state/lazy-file.js";

/** The files of the tabs of a segment, as the address names them. */
export const SEGMENT_TABS = {
  build: lazyFile(() => import("./build-tab.js")),
  members: lazyFile(() => import("./members-tab.js")),
  history: lazyFile(() => import("./history-tab.js")),
  versions: lazyFile(() => import("./versions-tab.js")),
  uses: lazyFile(() => import("./uses-tab.js")),
};
