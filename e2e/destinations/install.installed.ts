import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../testing/free-port.js";
import { Dashboard, expectAccessible, hasBrowser } from "../dashboard/kit/dashboard.js";
import { type MusterProcess, startMuster } from "../support/muster-process.js";

const ADMIN_TOKEN = "operator-token-of-the-installation";

describe.runIf(hasBrowser)("a server without the package of destinations", () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-install-"));
  let muster: MusterProcess;
  let dashboard: Dashboard;
  beforeAll(async () => {
    muster = startMuster({
      dataDir: join(folder, "data"),
      port: await freePort(),
      command: [process.execPath, "apps/server/bundle/main.js", "--json"],
      environment: { LOG_LEVEL: "error", MUSTER_ADMIN_TOKEN: ADMIN_TOKEN, UV_THREADPOOL_SIZE: "16" },
    });
    await muster.ready();
    dashboard = await Dashboard.onNew("Install", { url: muster.url, adminToken: ADMIN_TOKEN });
  });
  afterAll(async () => {
    await dashboard?.close();
    muster?.kill("SIGTERM");
    await muster?.ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  test("shows an owner of one organization no button, and installs it for its operator by one", async () => {
    const ofOwner = await dashboard.signInAs("owner");
    const owners = await dashboard.open("/connectors?view=gallery", ofOwner);
    await owners.getByText("Its operator installs them here, once for everybody.").waitFor();
    expect(await owners.getByRole("button", { name: "Install destinations" }).count()).toBe(0);
    await ofOwner.close();

    const page = await dashboard.open("/connectors?view=gallery");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Install destinations" }).click();
    await page.getByText("Fetching the package from npm's registry").waitFor();
    await page.getByRole("textbox", { name: "Search destinations" }).fill("hubspot");
    await page.getByRole("button", { name: "Install HubSpot" }).click();
    await page.getByRole("tab", { name: "Mapping" }).waitFor();
  });
});
