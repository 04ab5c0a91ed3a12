// The script that a page loads with a script tag. It defines one global variable, named by the brand word.
import type { Client } from "./client/client.js";
import { guarded } from "./guarded.js";
import { init } from "./index.js";
import { optionsOfScript } from "./options.js";

/** The server puts its brand word here when it serves the script. */
const BRAND = "__MUSTER_BRAND__";

function run(): void {
  const word = BRAND.startsWith("__") ? "Svc" : BRAND;
  const page = window as unknown as Record<string, unknown>;
  // Two clients on one page would record everything twice.
  if (isClient(page[word])) {
    console.warn(`${word}: the script is on this page twice.`);
    return;
  }
  const start = (options: Parameters<typeof init>[0]) => {
    const running = page[word];
    if (isClient(running)) return running;
    const client = init({ ...options, brand: word });
    page[word] = Object.assign(client, { init: start });
    for (const name of ["hullAsyncInit", `${word.toLowerCase()}AsyncInit`]) {
      const callback = page[name];
      if (typeof callback === "function") guarded(() => callback(client));
    }
    return client;
  };
  const script = document.currentScript ?? document.getElementById(`${word.toLowerCase()}-js-sdk`);
  if (script instanceof HTMLElement && script.dataset.platformId) start(optionsOfScript(script));
  else page[word] = { init: start };
}

function isClient(value: unknown): value is Client {
  return typeof value === "object" && value !== null && "track" in value;
}

guarded(run);
