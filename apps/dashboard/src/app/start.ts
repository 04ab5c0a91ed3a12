import { askEarly, askEarlyWithBody } from "../api/early-answers.js";
import { BRAND } from "../api/page-values.js";
import { firstCallsOf } from "./first-calls.js";
import { filesOf, placeOf } from "./screen-files.js";

/**
 * The first script that runs, and the only small one: it begins everything that the first picture needs at the same time,
 * instead of one thing after the other as each is found out about.
 */
const address = new URL(location.href);
const place = placeOf(address);
// Screens wait for it. Pages for people who are not signed in do not ask.
const needsSession = address.pathname === "/" || address.pathname.startsWith("/o/");
const session = needsSession ? askEarly({ path: "/api/v1/session" }) : undefined;
void import("./main.js");
for (const file of filesOf(address)) {
  // A failure shows itself when the screen opens, which loads the file again.
  file.load().catch(() => undefined);
}
if (place && session) {
  const organization = { header: `${BRAND}-Organization`, id: place.org };
  for (const { path, body } of firstCallsOf(address)) {
    if (body) askEarlyWithBody({ path, body, organization }, session);
    else void askEarly({ path, organization });
  }
}
// The first formatter of a page takes 30 ms, which are free while the files are on their way.
Intl.NumberFormat();
