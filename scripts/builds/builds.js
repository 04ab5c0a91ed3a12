import { BROWSER_LIBRARY } from "./browser-library.js";
import { DASHBOARD } from "./dashboard.js";
import { DECLARATIONS } from "./declarations.js";
import { MODULES } from "./modules.js";
import { PACKAGES } from "./packages.js";
import { COMMAND, SERVER } from "./programs.js";

/** Everything that is built. What needs another one comes after it. */
export const BUILDS = [MODULES, SERVER, COMMAND, BROWSER_LIBRARY, DASHBOARD, DECLARATIONS, PACKAGES];
