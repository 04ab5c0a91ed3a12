import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noteResult } from "../../../connector-apps/testing/note-result.js";
import { Dashboard, hasBrowser } from "../../dashboard/kit/dashboard.js";
import { PATIENCE } from "../../support/patience.js";

/** How many files share the forms: `.ci/run` takes some of them. */
const FILES = 4;
const IN_A_TEST = 6;
/** Six forms took 9 s with five processes waiting for each processor, and 80 s with ten. The limit is for a page that hangs. */
const TEST_MS = 300_000;
/** Hundreds of forms are opened, and each is there within a fraction of a second. */
const SOON = { ...PATIENCE, interval: 10 };

interface Field {
  key: string;
  label: string;
  isHidden: boolean;
}

interface Destination {
  name: string;
  settings: Field[];
  actions: {
    key: string;
    title: string;
    trigger: string;
    fields: Field[];
    syncMode?: { label: string };
    stepOnSave?: string;
  }[];
}

interface Mapping {
  name: string;
  action: string;
}

interface Installed {
  id: string;
  private_settings: { mappings: Mapping[] };
}

/** What of the DOM the functions below read, which run in the page. */
interface ShownElement {
  textContent: string | null;
  dataset: Record<string, string | undefined>;
  childNodes: Iterable<{ textContent: string | null; hasAttribute?(name: string): boolean }>;
  querySelectorAll(selector: string): { length: number };
}

/**
 * Tests the forms of one part of all destinations in a browser: each is installed, and its settings and the mapping of each of its
 * actions are opened.
 */
export function testForms(file: number): void {
  const names = listDestinations().filter((_name, index) => index % FILES === file - 1);
  const parts = Array.from({ length: Math.ceil(names.length / IN_A_TEST) }, (_part, index) =>
    names.slice(index * IN_A_TEST, (index + 1) * IN_A_TEST),
  );

  describe.runIf(hasBrowser)("the forms show every field, and the browser reports no error", () => {
    let dashboard: Dashboard;
    let page: Page;
    const errors: string[] = [];
    beforeAll(async () => {
      dashboard = await Dashboard.onNew("Forms");
      page = await (await dashboard.signIn()).newPage();
      page.on("pageerror", (error) => errors.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`);
      });
      await page.goto(dashboard.address("/connectors"));
      await page.getByRole("heading", { level: 1 }).waitFor();
    });
    afterAll(() => dashboard?.close());

    test.each(parts.map((part) => [part[0], part.at(-1), part]))(
      "from %s to %s",
      async (_first, _last, part) => {
        let shown: string | undefined;
        for (const name of part) {
          const destination = readDestination(name);
          const { id, mappings } = await install(dashboard, destination);
          // As a link of the dashboard does: the page is not loaded again.
          await page.evaluate(
            `history.pushState(null, "", ${JSON.stringify(dashboard.address(`/connectors/${id}?tab=settings`))})`,
          );
          await openSettings(page, destination);
          // The page asks for the connector that it shows again and again. With few of them, the server is quick.
          if (shown !== undefined) await dashboard.api("DELETE", `/${shown}`);
          shown = id;
          await openMappings(page, destination, mappings);
          expect(errors, name).toEqual([]);
          noteResult({ kind: "form", name, actions: destination.actions.length });
        }
      },
      TEST_MS,
    );
  });
}

/** A new connector has the mappings of the presets. Here each other action gets a mapping too. */
async function install(
  dashboard: Dashboard,
  { name, actions }: Destination,
): Promise<{ id: string; mappings: Mapping[] }> {
  const url = `muster://${name}.destinations`;
  const { id } = await dashboard.api<Installed>("POST", "/connectors/install", { url });
  const { private_settings: stored } = await dashboard.api<Installed>("GET", `/${id}`);
  const used = new Set(stored.mappings.map(({ action }) => action));
  const others = actions
    .filter(({ key }) => !used.has(key))
    .map(({ key, title, trigger }) => ({ id: key, name: title, action: key, enabled: false, trigger, fields: {} }));
  const mappings = [...stored.mappings, ...others];
  if (others.length > 0) await dashboard.api("PUT", `/${id}`, { private_settings: { mappings } });
  return { id, mappings };
}

async function openSettings(page: Page, { name, settings }: Destination): Promise<void> {
  const expected = [...settings, { key: "segments", label: "User segments" }].map(({ key, label }) => ({
    key,
    text: expect.stringContaining(label),
    hasControl: true,
  }));
  await expect
    .poll(() => page.locator("[data-setting]").evaluateAll(readSettings), { ...SOON, message: `${name}: settings` })
    .toEqual(expect.arrayContaining(expected));
}

async function openMappings(page: Page, { name, actions }: Destination, mappings: readonly Mapping[]): Promise<void> {
  await page.getByRole("tab", { name: "Mapping" }).click();
  const form = page.getByRole("region", { name: "Mapping", exact: true });
  const entries = page.getByRole("navigation", { name: "Mappings" }).getByRole("button");
  const more = form.getByRole("button", { name: /^Show \d+ more fields$/ });
  for (const { key, fields, syncMode, stepOnSave } of actions) {
    // The forms of two mappings of one action have the same fields.
    await entries.nth(mappings.findIndex(({ action }) => action === key)).click();
    const labels = fields.flatMap(({ label, isHidden }) => (isHidden ? [] : [label]));
    if (syncMode) labels.unshift(syncMode.label);
    await expect
      .poll(
        async () => {
          if ((await more.count()) > 0) await more.click();
          return form.locator("label").evaluateAll(readLabels);
        },
        { ...SOON, message: `${name}: ${key}` },
      )
      .toEqual(["Name", "Switched on", "Runs when", ...labels]);
    const warnings = await form.getByText("Muster does not run the step").allInnerTexts();
    expect(warnings, `${name}: ${key}`).toEqual(stepOnSave === undefined ? [] : [expect.stringContaining(stepOnSave)]);
  }
}

function readSettings(elements: unknown[]): { key: string | undefined; text: string; hasControl: boolean }[] {
  return (elements as ShownElement[]).map((element) => ({
    key: element.dataset.setting,
    text: element.textContent ?? "",
    hasControl: element.querySelectorAll("input, textarea, button").length > 0,
  }));
}

/** Without the star of a required field, which is for the eye. */
function readLabels(elements: unknown[]): string[] {
  return (elements as ShownElement[]).map(({ childNodes }) =>
    [...childNodes]
      .filter((node) => !node.hasAttribute?.("aria-hidden"))
      .map(({ textContent }) => textContent ?? "")
      .join(""),
  );
}

function listDestinations(): string[] {
  return readdirSync(join(installation(), "records"))
    .map((file) => file.replace(/\.json$/, ""))
    .sort();
}

function readDestination(name: string): Destination {
  return JSON.parse(readFileSync(join(installation(), "records", `${name}.json`), "utf8")) as Destination;
}

/** `npm run test:destinations` names it. */
function installation(): string {
  return process.env.DESTINATIONS_INSTALLATION ?? "";
}
