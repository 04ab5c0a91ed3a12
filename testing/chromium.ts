import { isInstalled } from "./can-test.js";

/** The browser of the tests. `CHROMIUM` names another one. */
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";

/**
 * The same browser without the parts that people see, when it is installed: pages cost a fifth less processor time. It
 * lacks some switches, such as the one that treats an address as secure.
 */
export const HEADLESS_CHROMIUM =
  process.env.CHROMIUM === undefined && isInstalled(HEADLESS_SHELL) ? HEADLESS_SHELL : CHROMIUM;
