import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "@muster/client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { freePort } from "../../testing/free-port.js";
import { startWebServer, type WebServer } from "../../testing/start-web-server.js";
import { printedCredentials } from "../support/credentials.js";
import { type MusterProcess, startMuster } from "../support/muster-process.js";
import { PATIENCE } from "../support/patience.js";
import { hasBrowser, launch } from "./kit/dashboard.js";

// What a marketer does in the first ten minutes, after `npm start` without a terminal.

const BODY = "This customer has no contract.";

describe.runIf(hasBrowser)("from the start to the first webhook", () => {
  let folder: string;
  let muster: MusterProcess;
  let browser: Browser;
  let page: Page;
  let endpoint: WebServer;
  let isFixed = false;
  const taken: string[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "muster-walk-"));
    endpoint = await startWebServer(async (request, response) => {
      const body = await text(request);
      if (isFixed) taken.push(body);
      response.writeHead(isFixed ? 200 : 400).end(isFixed ? "" : BODY);
    });
    muster = startMuster({
      dataDir: join(folder, "data"),
      port: await freePort(),
      // The endpoint of the test is on this machine.
      environment: { LOG_LEVEL: "error", ALLOW_PRIVATE_NETWORK: "true" },
    });
    await muster.ready();
    browser = await launch();
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(PATIENCE.timeout);
  });
  afterAll(async () => {
    await browser?.close();
    muster?.killGroup("SIGTERM");
    await muster?.ended;
    await endpoint?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  /** Says something about a person, as a website does. */
  async function say(plan: string): Promise<void> {
    const client = new Client({ url: muster.url, ...(await printedCredentials(muster)) });
    await client.asUser({ email: "ada@example.com" }).traits({ plan });
  }

  test("a connector is installed from the gallery, a refused answer is seen, and the fixed endpoint gets the message", async () => {
    await vi.waitFor(() => expect(muster.output()).toMatch(/Sign in +http/), PATIENCE);
    await page.goto(/Sign in +(\S+)/.exec(muster.output())?.[1] ?? "");
    await page.getByRole("button", { name: /^Sign in as/ }).click();
    await page.getByRole("link", { name: "Connectors" }).first().click();
    await page.getByRole("tab", { name: "Gallery" }).click();
    await page.getByRole("button", { name: "Install Outgoing Webhooks" }).click();
    await page.getByText("Set the connector up first").waitFor();
    await page.getByLabel("URL", { exact: true }).fill(endpoint.url);
    await page.getByRole("button", { name: "Save settings" }).click();
    // The next sections open by themselves: the connector has accepted the address.
    await page.getByText("Set the connector up first").waitFor({ state: "detached" });
    expect(await page.getByRole("combobox", { name: "Send when" }).isDisabled()).toBe(false);

    await say("pro");
    await page.getByRole("tab", { name: "Deliveries" }).click();
    await page
      .getByText(/with status 400/)
      .first()
      .waitFor();
    await page.getByText(BODY).first().waitFor();

    isFixed = true;
    await page
      .getByRole("button", { name: /^Retry 1 message/ })
      .first()
      .click();
    await vi.waitFor(() => expect(taken.join()).toContain("ada@example.com"), PATIENCE);
    await page.getByText("There are no dead letters").waitFor();
  });
});
