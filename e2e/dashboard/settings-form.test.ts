// @module-tag long
import { type BatchEntry, createBrand, signToken } from "@muster/protocol";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Credentials } from "../support/credentials.js";
import { userEntry } from "../support/entries.js";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { EVERYTHING } from "./kit/everything.test.data.js";
import { type FormConnector, PIXEL, startFormConnector } from "./kit/form-connector.js";
import { sendEntries } from "./kit/send-entries.js";

interface ConnectorRecord {
  settings: Record<string, unknown>;
  private_settings: Record<string, unknown>;
}

const { headers: names, claims } = createBrand();
describe.runIf(hasBrowser)("the settings form", () => {
  let dashboard: Dashboard;
  let app: FormConnector;
  let id: string;
  let page: Page;
  let segment: { id: string };
  let accountsSegment: { id: string };

  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Forms");
    app = await startFormConnector(EVERYTHING, {
      "/lists": ({ body }) => {
        const { connector, search } = body as { connector: ConnectorRecord; search?: string };
        const folder = connector.private_settings.text_plain;
        const all = [
          { value: 1, label: "News" },
          { value: 2, label: "Offers" },
        ];
        const found = all.filter(({ label }) => label.toLowerCase().includes((search ?? "").toLowerCase()));
        return { options: [{ label: `In ${folder}`, options: found }] };
      },
      "/fields": () => ({
        options: [
          { value: "email_address", label: "E-mail" },
          { value: "stage", label: "Stage" },
        ],
      }),
      "/broken": () => ({ status: 401, body: { message: "The key is not valid." } }),
      "/sync": () => ({ message: "42 contacts are on their way." }),
      "/start": () => ({}),
      "/token": () => ({ message: "t-123" }),
      "/logo.png": () => PIXEL,
      "/picture.svg": () => "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    });
    segment = await dashboard.api("POST", "/users_segments", { name: "VIPs", query: { match_all: {} }, predicate: {} });
    accountsSegment = await dashboard.api("POST", "/accounts_segments", {
      name: "Big ones",
      query: { match_all: {} },
      predicate: {},
    });
    await sendSample(dashboard);
    ({ id } = await dashboard.api<{ id: string }>("POST", "/connectors/install", { url: app.url }));
    // What a connector has stored itself: a key that nobody declared, and values that are not what is declared.
    await dashboard.api("PUT", `/${id}`, { private_settings: { undeclared: { cursor: 7 } } });
    page = await dashboard.open(`/connectors/${id}?tab=settings`, await dashboard.signIn());
    await page.getByText("Plain text").first().waitFor();
  });
  afterAll(async () => {
    await dashboard?.close();
    await app?.close();
  });

  const stored = () => dashboard.api<ConnectorRecord>("GET", `/${id}`);
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const list = (label: string) => page.getByRole("combobox", { name: label, exact: true });
  const choose = async (label: string, option: string) => {
    await list(label).fill(option);
    await page.getByRole("option", { name: option, exact: true }).click();
    await list(label).press("Escape");
  };
  const create = async (label: string, text: string, shown = text) => {
    await list(label).fill(text);
    await page.getByRole("option", { name: `Use “${shown}”` }).click();
    await list(label).press("Escape");
  };
  const save = async () => {
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("Settings saved").waitFor();
    await page.getByRole("button", { name: "Save settings" }).waitFor({ state: "detached" });
  };
  const closeMessage = async () => {
    await page.getByRole("button", { name: "Close the note" }).click();
    await page.getByText("Settings saved").waitFor({ state: "detached" });
  };

  test("shows every setting of the manifest but the hidden ones, and nothing breaks", async () => {
    const declared: readonly { name: string; title?: string; format?: string }[] = [
      ...EVERYTHING.private_settings,
      ...EVERYTHING.settings,
    ];
    const titles = declared.filter(({ format }) => format !== "hidden").map(({ title, name }) => title ?? name);
    for (const title of titles) await page.getByText(title, { exact: true }).first().waitFor();
    expect(await page.getByText("Hidden one").count()).toBe(0);
    // A description is Markdown without HTML and without images.
    expect(await page.getByRole("link", { name: "the guide" }).getAttribute("href")).toBe("https://example.com/guide");
    await page.getByText("No HTML", { exact: false }).first().waitFor();
    expect(await page.getByText("<b>").count()).toBe(0);
    expect(await page.locator("[data-setting] img").count()).toBe(0);
    await expectAccessible(page);
  });

  test("stores exactly what was changed, in the form that each format has", async () => {
    const before = await stored();
    await field("Plain text").fill("inbox");
    await field("Address").fill("https://example.com/hook");
    await field("Image").fill("/picture.svg");
    await page.getByText("No image can be shown from there.").waitFor();
    await field("Image").fill("/logo.png");
    await page.getByRole("img", { name: "Preview of Image" }).waitFor();
    await field("Colour").fill("#112233");
    await field("Password").fill("s3cret");
    await field("Long text").fill("Dear\ncustomer");
    await field("Number").fill("12.5");
    await field("Whole number").fill("7");
    await field("Number as text").fill("300");
    await field("Flag").locator("..").click();
    await choose("Flag as list", "No");
    await choose("One of", "Second");
    await choose("One of, by oneOf", "Beta");
    await choose("Number or text", "2");
    await choose("Several of", "long");
    await choose("One user segment", "VIPs");
    await choose("User segments", "VIPs");
    await choose("Account segments", "Big ones");
    await choose("One attribute", "plan");
    await choose("Attributes", "plan");
    await choose("Attributes", "email");
    await create("New attributes", "lifetime_value");
    await choose("Account attribute", "industry");
    await choose("One event", "Ordered");
    await choose("Events", "Left a segment");
    await list("Tags").fill("red");
    await list("Tags").press("Enter");
    await list("Tags").fill("blue");
    await list("Tags").press("Enter");
    await field("Unknown format").fill("as it is");
    await field("untitled").fill("odd");
    await page.keyboard.press("Escape");

    // Tables
    await field("Headers, row 1: Value").fill("yes");
    await page.getByRole("button", { name: "Add row to Headers" }).click();
    await field("Headers, row 2: Name").fill("x-second");
    await page.getByRole("button", { name: "Move row 2 of Headers up" }).click();
    await page.getByRole("button", { name: "Add row to Addresses" }).click();
    await field("Addresses, row 2").fill("b@example.com");
    await page.getByRole("button", { name: "Remove row 1 of Addresses" }).click();
    await page.getByRole("button", { name: "Add row to Triggers" }).click();
    await choose("Triggers, row 1: Segment", "Everybody");
    await field("Triggers, row 1: On entering").locator("..").click();
    await create("Triggers, row 1: Event", "Rang");

    // Objects
    await field("Object: Street").fill("Main St 1");
    await page.getByRole("button", { name: "Add row to Free object" }).click();
    await field("Free object, row 2: name").fill("b");
    await field("Free object, row 2: value").fill("2");

    // Mappings
    await page.getByRole("button", { name: "Add row to Incoming fields" }).click();
    await choose("Incoming fields, row 3: field", "Stage");
    await create("Incoming fields, row 3: attribute", "stage", "traits_book/stage");
    await field("Incoming fields, row 2: overwrite").locator("..").click();
    await page.getByRole("button", { name: "Add row to Outgoing fields" }).click();
    await choose("Outgoing fields, row 2: attribute", "industry");
    await create("Outgoing fields, row 2: field", "sector");
    await save();
    await closeMessage();

    const { settings, private_settings: values } = await stored();
    expect(settings).toEqual({ ...before.settings, color: "#112233", image: "/logo.png" });
    expect(values).toEqual({
      ...before.private_settings,
      text_plain: "inbox",
      address: "https://example.com/hook",
      password: "s3cret",
      long: "Dear\ncustomer",
      number: 12.5,
      integer: 7,
      number_as_text: 300,
      flag: true,
      flag_list: false,
      choice: "b",
      one_of: "beta",
      mixed_choice: "2",
      several: ["short", "long"],
      segment: segment.id,
      // A segment replaces "All users": together they would mean all users.
      segments: [segment.id],
      account_segments: [accountsSegment.id],
      trait: "traits_plan",
      traits: ["traits_plan", "email"],
      new_traits: ["lifetime_value"],
      account_trait: "industry",
      event: "Ordered",
      events: ["HULL_LEAVE_SEGMENT"],
      tags: ["red", "blue"],
      unknown: "as it is",
      untitled: "odd",
      headers: [{ name: "x-second" }, { name: "x-first", value: "yes", note: "kept" }],
      addresses: ["b@example.com"],
      triggers: [{ segment: "ALL", entered: true, event: "Rang" }],
      object: { city: "Ghent", street: "Main St 1", zip: 9000 },
      pairs: { a: "1", b: "2" },
      incoming: [
        { service: "`long-id`", hull: "traits_book/id", overwrite: true, readOnly: true },
        { service: "numbers", hull: "book/numbers", overwrite: false, default_value: "[none]" },
        { hull: "traits_book/stage", service: "stage", overwrite: true },
      ],
      outgoing: [
        { hull: "account_segments.name[]", service: "groups", overwrite: false },
        { hull: "industry", service: "sector", overwrite: true },
      ],
    });
  });

  test("offers what the connector offers for what is in the form, by group, with search", async () => {
    await field("Plain text").fill("drafts");
    await list("List").click();
    await page.getByText("In drafts").waitFor();
    await list("List").fill("off");
    await vi.waitFor(() => expect(app.calls.some(({ body }) => body.search === "off")).toBe(true), PATIENCE);
    await page.getByRole("option", { name: "Offers" }).click();
    await save();
    await closeMessage();
    expect((await stored()).private_settings).toMatchObject({ list: "2", text_plain: "drafts" });
  });

  test("says in place that options cannot be loaded, in the connector's words", async () => {
    await page.getByText("The connector offers no options: The key is not valid.").waitFor();
  });

  test("a value without a control of its own is edited as JSON, and one that is no JSON yet is not saved", async () => {
    const editor = page.getByLabel("Anything", { exact: true });
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("nothing yet");
    await page.getByText("This is not JSON yet.").waitFor();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await page.keyboard.type('[{"deep": [1]}]');
    await save();
    await closeMessage();
    expect((await stored()).private_settings.anything).toEqual([{ deep: [1] }]);
  });

  test("a secret is not shown, and an empty field keeps it", async () => {
    expect(await field("Password").inputValue()).toBe("");
    await field("Password").fill("other");
    await field("Password").fill("");
    expect(await page.getByRole("button", { name: "Save settings" }).count()).toBe(0);
    expect((await stored()).private_settings.password).toBe("s3cret");
  });

  test("a wrong value is told at its field, and nothing is stored", async () => {
    await field("Address").fill("not an address");
    await field("Plain text").fill("must not be stored");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("It must be an address, e.g. https://example.com.").waitFor();
    expect((await stored()).private_settings.text_plain).toBe("drafts");
    await page.getByRole("button", { name: "Discard" }).click();
    expect(await field("Address").inputValue()).toBe("https://example.com/hook");
  });

  test("a saved change can be undone", async () => {
    await field("Plain text").fill("by mistake");
    await save();
    await page.getByRole("button", { name: "Undo" }).click();
    await vi.waitFor(async () => expect((await stored()).private_settings.text_plain).toBe("drafts"), PATIENCE);
    await vi.waitFor(async () => expect(await field("Plain text").inputValue()).toBe("drafts"), PATIENCE);
  });

  test("buttons call the connector, after a question when the manifest asks one", async () => {
    await page.getByRole("button", { name: "Sync now" }).click();
    await page.getByText("Fetch all contacts?").waitFor();
    // What is done, and with what, as the manifest says.
    const question = page.getByRole("dialog", { name: "Sync now" });
    expect(await question.getByRole("definition").allTextContents()).toEqual(["fetch", "users"]);
    expect(app.calls.some(({ path }) => path === "/sync")).toBe(false);
    await page.getByRole("button", { name: "Yes, fetch" }).click();
    await page.getByText("42 contacts are on their way.").waitFor();
    await page.getByRole("button", { name: "Start in the background" }).click();
    await page.getByText("Started. The connector goes on by itself.").waitFor();
    await page.getByRole("button", { name: "Show Token" }).click();
    await page.getByText("t-123").waitFor();
  });

  test("asks before somebody leaves with changes that are not saved", async () => {
    await field("Plain text").fill("half done");
    await page.getByRole("tab", { name: "Readme" }).click();
    await page.getByText("Changes are not saved").waitFor();
    await page.getByRole("button", { name: "Stay" }).click();
    expect(await field("Plain text").inputValue()).toBe("half done");
    await page.getByRole("tab", { name: "Readme" }).click();
    await page.getByRole("button", { name: "Leave without saving" }).click();
    await page.getByText("There is no readme").waitFor();
    expect((await stored()).private_settings.text_plain).toBe("drafts");
  });

  test("keeps what the connector stored itself", async () => {
    expect((await stored()).private_settings).toMatchObject({ undeclared: { cursor: 7 }, hidden: "h" });
  });
});

/** A user, an account and an event, so that there are attributes and events to choose from. */
async function sendSample(dashboard: Dashboard): Promise<void> {
  const sender = await dashboard.api<Credentials>("POST", "/connectors", { name: "Sender" });
  const account = signToken(
    {
      iss: sender.id,
      iat: Math.floor(Date.now() / 1_000),
      [claims.subjectType]: "account",
      [claims.asAccount]: { domain: "acme.example" },
    },
    sender.secret,
  );
  const now = new Date().toISOString();
  const batch: BatchEntry[] = [
    userEntry(sender, "ann", "traits", { plan: "pro", email: "ann@example.com" }),
    userEntry(sender, "ann", "track", { event: "Ordered" }),
    { type: "traits", timestamp: now, headers: { [names.accessToken]: account }, body: { industry: "Toys" } },
  ];
  await sendEntries(dashboard, sender, batch);
  await vi.waitFor(async () => {
    const ofUsers = await dashboard.api<{ key: string }[]>("GET", "/users/schema");
    const ofAccounts = await dashboard.api<{ key: string }[]>("GET", "/accounts/schema");
    const events = await dashboard.api<{ name: string }[]>("GET", "/search/event/bootstrap");
    expect(ofUsers.map(({ key }) => key)).toContain("traits_plan");
    expect(ofAccounts.map(({ key }) => key)).toContain("industry");
    expect(events.map(({ name }) => name)).toContain("Ordered");
  }, PATIENCE);
}
