import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { freePort } from "../../../testing/free-port.js";
import { callApi } from "../../support/call-api.js";
import { REPOSITORY, startMuster } from "../../support/muster-process.js";
import { prepareScreens, type Screen } from "./prepare-screens.js";

// `npm run screenshots`: starts a server, fills it, and writes a picture of every screen to docs/screenshots, or of those that
// are named: `npm run screenshots -- home segment`.

const ADMIN_TOKEN = "operator-token-of-the-screenshots";
const FOLDER = join(REPOSITORY, "docs/screenshots");

const LOOKS = {
  light: { viewport: { width: 1280, height: 800 } },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 780 }, deviceScaleFactor: 1 },
} as const;

const LONGEST_WAIT_MS = 15_000;
const ONLY = process.argv.slice(2);

const folder = await mkdtemp(join(tmpdir(), "muster-screenshots-"));
const muster = startMuster({
  dataDir: join(folder, "data"),
  port: await freePort(),
  command: [process.execPath, "apps/server/bundle/main.js", "--json"],
  environment: { LOG_LEVEL: "error", MUSTER_ADMIN_TOKEN: ADMIN_TOKEN, ALLOW_PRIVATE_NETWORK: "true" },
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--force-prefers-reduced-motion"],
});
try {
  await muster.ready();
  const { screens, close } = await prepareScreens(muster, ADMIN_TOKEN);
  await mkdir(FOLDER, { recursive: true });
  for (const [look, options] of Object.entries(LOOKS)) {
    const context = await browser.newContext(options);
    await signIn(context);
    const wanted = screens.filter(({ name }) => ONLY.length === 0 || ONLY.includes(name));
    for (const screen of wanted) await picture(context, screen, look);
    await context.close();
  }
  await close();
} finally {
  await browser.close();
  muster.kill("SIGTERM");
  await muster.ended;
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function signIn(context: BrowserContext): Promise<void> {
  const { url } = await callApi<{ url: string }>(muster.url, {
    method: "POST",
    path: "/sign_in_links",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    body: {},
  });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("button", { name: /sign in/i }).click();
  await page.waitForURL(/\/o\//);
  await page.close();
}

async function picture(context: BrowserContext, { name, path, ready, act }: Screen, look: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${muster.url}${path}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  // On a phone, parts of a screen are behind tabs.
  if (look !== "phone") await page.getByText(ready).filter({ visible: true }).first().waitFor();
  await act?.(page);
  await settle(page);
  await writeFile(join(FOLDER, `${name}-${look}.webp`), await capture(page));
  await page.close();
}

/** Waits until nothing moves any more: fonts are there, charts are drawn, no call is on its way. */
async function settle(page: Page): Promise<void> {
  await page.evaluate("document.fonts.ready.then(() => true)");
  // A busy machine answers and loads the parts of a screen later than the pause that follows. Live screens may never be idle.
  await page.waitForLoadState("networkidle", { timeout: LONGEST_WAIT_MS }).catch(() => undefined);
  await page.waitForTimeout(1_200);
}

/** As WebP, a fifth of the size of PNG. Playwright itself writes only PNG and JPEG. */
async function capture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 82 });
  return Buffer.from(data, "base64");
}
