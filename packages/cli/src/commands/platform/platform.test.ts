import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConnectorApp, smartManifest } from "../../../../../apps/server/src/testing/connector-app.js";
import { type CliServer, openCliServer } from "../../testing/cli-server.js";

let served: CliServer;
let app: ConnectorApp;
beforeAll(async () => {
  served = await openCliServer();
  app = await ConnectorApp.open(
    smartManifest({
      name: "Banner",
      index: "/banner.js",
      deployment_settings: [
        { name: "color", type: "string", enum: ["red", "blue"], default: "red" },
        { name: "size", type: "number" },
      ],
    }),
  );
  await app.install(served.server);
});
afterAll(async () => {
  await served.close();
  await app.close();
});

const cli = (...args: string[]) => served.cli(["platform", ...args]);
const json = (...args: string[]) => served.json(["platform", ...args]);

describe("a platform", () => {
  test("is created, listed, shown and changed", async () => {
    expect((await cli("list")).stdout).toBe("No platforms yet.\n");
    const created = await json("create", "Shop", "--domain", "shop.test", "--domain", "*.blog.test", "--respect-dnt");
    expect(created).toMatchObject({
      name: "Shop",
      domains: ["shop.test", "*.blog.test"],
      settings: { respect_dnt: true },
    });
    expect(await json("list")).toEqual([{ ...created, last_record_at: null }]);
    expect((await cli("list")).stdout).toMatch(/^ID +NAME +DOMAINS +CREATED\n\S+ +Shop +shop\.test, \*\.blog\.test /);
    expect(await json("show", "shop")).toEqual({ ...created, last_record_at: null });
    expect((await cli("show", created.id)).stdout).toMatch(/\nconsent +not required\nrespect DNT +yes\n/);

    const consent = await json("update", "Shop", "--consent", "required");
    expect(consent).toMatchObject({
      domains: created.domains,
      settings: { respect_dnt: true, consent: "required" },
    });
    const changed = await json("update", created.id, "--name", "Tea shop", "--domain", "tea.test", "--no-respect-dnt");
    expect(changed).toMatchObject({
      name: "Tea shop",
      domains: ["tea.test"],
      settings: { respect_dnt: false, consent: "required" },
    });
  });

  test("has a tag that is printed alone, and the rest as JSON", async () => {
    const { id } = await json("create", "Tagged", "--domain", "tagged.test");
    const snippet = await json("snippet", "Tagged");
    expect(snippet).toEqual({
      html: expect.stringContaining(`data-platform-id="${id}"`),
      latest_html: expect.stringContaining("/js/latest/muster.js"),
      version: expect.any(String),
      src: expect.any(String),
      integrity: expect.stringMatching(/^sha384-/),
    });
    expect(await cli("snippet", id)).toEqual({ code: 0, stdout: `${snippet.html}\n`, stderr: "" });
  });

  test("is deleted after a question", async () => {
    const { id } = await json("create", "Doomed", "--domain", "doomed.test");
    expect(await cli("delete", "Doomed")).toMatchObject({
      code: 4,
      stdout: "",
      stderr: expect.stringMatching(/deleted for good.*add --yes/),
    });
    expect((await cli("show", id)).code).toBe(0);
    expect(await json("delete", "Doomed", "--yes")).toEqual({ id, deleted: true });
    expect(await cli("show", id)).toMatchObject({
      code: 1,
      stderr: `There is no platform "${id}". \`muster platform list\` shows all.\n`,
    });
  });

  test.each([
    ["create", "Nowhere"],
    ["create", "Site", "--domain", "site.test", "--consent", "maybe"],
    ["update", "Shop"],
  ])("is refused: %s %s %s", async (...args) => {
    expect(await cli(...args)).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("a deployment", () => {
  beforeAll(() => json("create", "Site", "--domain", "site.test"));

  test("is made with settings of the declared types, listed and removed", async () => {
    expect((await cli("deployments", "Site")).stdout).toBe("No deployments yet.\n");
    const deployed = await json("deploy", "Site", "Banner", "_selector=#top", "_multi=yes", "color=blue", "size=7");
    expect(deployed).toMatchObject({
      settings: { _selector: "#top", _multi: true, _placement: "bottom", color: "blue", size: 7 },
      ship: { name: "Banner", index: `${app.url}/banner.js` },
    });
    expect(await json("deployments", "Site")).toMatchObject([{ id: deployed.id }]);
    expect((await cli("deployments", "Site")).stdout).toMatch(
      /^ID +CONNECTOR +SELECTOR .*\n\S+ +Banner +#top +bottom /,
    );

    expect(await cli("undeploy", deployed.id)).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/^The connector "Banner" is taken out of the pages of "Site".*add --yes/),
    });
    expect(await json("undeploy", deployed.id, "--yes")).toEqual({ id: deployed.id, deleted: true });
    expect(await json("deployments", "Site")).toEqual([]);
    expect(await cli("undeploy", deployed.id, "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no deployment/),
    });
  });

  test("of a connector without a script is made with a warning", async () => {
    await served.json(["connector", "create", "Plain"]);
    expect(await cli("deploy", "Site", "Plain", "settings.other=x")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/settings\.other +x\n/),
      stderr: expect.stringMatching(/^"Plain" has no script for web pages/),
    });
  });

  test.each([
    ["selector=#top", 2, /has no setting "selector"\. It has _selector, _placement, _multi, color, size;/],
    ["size=big", 2, /^size: "big" is not a number/],
    ["nonsense", 2, /is not like KEY=VALUE/],
    ["color=green", 1, /settings\.color/],
  ])("is refused with %s", async (assignment, code, message) => {
    expect(await cli("deploy", "Site", "Banner", assignment)).toMatchObject({
      code,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
  });
});
