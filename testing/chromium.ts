import { isInstalled } from "./can-test.js";

// Without the parts of a browser that people see, pages open in two thirds of the processor time.
const HEADLESS = "/usr/bin/chromium-headless-shell";

/** The browser of the tests. `CHROMIUM` names another one. */
export const CHROMIUM = process.env.CHROMIUM ?? (isInstalled(HEADLESS) ? HEADLESS : "/usr/bin/chromium");
