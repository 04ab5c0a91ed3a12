// @module-tag long
import { json } from "node:stream/consumers";
import { createBrand } from "@muster/protocol";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startWebServer, type WebServer } from "../../testing/start-web-server.js";
import { callApi, connectorHeaders } from "../support/call-api.js";
import type { Credentials } from "../support/credentials.js";
import { userEntry } from "../support/entries.js";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { FAILED, failCalls } from "./kit/fail-calls.js";
import { sendEntries } from "./kit/send-entries.js";

const { headers: names } = createBrand();

const MANIFEST = {
  name: "Newsletter",
  version: "1.0.0",
  tags: ["smart-notifier"],
  settings_sections: [],
  subscriptions: [{ url: "/smart-notifier", conditions: { channels: { only: ["user:update"] } } }],
};
interface Message {
  message_id: string;
  user: { external_id: string; traits_list?: string };
}

/** The app takes every call, and reports what its service says about each message. */
function reportAbout({ message_id, user }: Message): object {
  if (user.traits_list !== "blocked") return { message_id, result: "accepted", status: 201 };
  return { message_id, result: "refused", status: 400, body: '{"error":"The address is blocked."}' };
}

interface Letter {
  id: number;
  message: Record<string, unknown>;
}

describe.runIf(hasBrowser)("the deliveries of a connector", () => {
  let dashboard: Dashboard;
  let app: WebServer;
  let connector: Credentials;
  /** A list that the app does not have. */
  let missingList = "old";
  const accepted: Message["user"][] = [];

  beforeAll(async () => {
    app = await startWebServer(async (request, response) => {
      if (request.url === "/manifest.json") return void response.end(JSON.stringify(MANIFEST));
      const { messages = [] } = (await json(request)) as { messages?: Message[] };
      if (messages.some(({ user }) => user.traits_list === missingList)) {
        return void response.writeHead(422).end('{"message":"There is no such list."}');
      }
      accepted.push(...messages.map(({ user }) => user));
      const answer = { flow_control: { type: "next" }, results: messages.map(reportAbout) };
      response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
    });
    dashboard = await Dashboard.onNew("Deliveries");
    connector = await dashboard.api<Credentials>("POST", "/connectors/install", { url: app.url });
    const set = (externalId: string, list: string) => userEntry(connector, externalId, "traits", { list });
    await sendEntries(dashboard, connector, [set("u1", "old"), set("u2", "old"), set("u3", "old"), set("u4", "news")]);
    await vi.waitFor(async () => expect(await letters()).toHaveLength(3), PATIENCE);
  });
  afterAll(async () => {
    await dashboard?.close();
    await app?.close();
  });

  const letters = () => dashboard.api<Letter[]>("GET", `/dead_letters?connector_id=${connector.id}`);
  const open = (search: string): Promise<Page> => dashboard.open(`/connectors/${connector.id}?${search}`);

  test("the overview says what became of the messages and why calls failed", async () => {
    const page = await open("tab=overview");
    await page.getByText("Nothing waits.").first().waitFor();
    const causes = page.getByRole("table", { name: "Failed calls by cause" });
    await causes.getByText("It answered with status 422. There is no such list.").waitFor();
    const givenUp = page.getByRole("listitem").filter({ hasText: "Given up" });
    expect(await givenUp.textContent()).toMatch(/now dead letters3/);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Show the failed messages" }).click();
    await page.getByRole("table", { name: "Sent messages" }).getByText("Refused").first().waitFor();
  });

  test("a dead letter is edited and sent again, then the rest of its group", async () => {
    const page = await open("tab=deliveries");
    await page.getByRole("button", { name: "Retry 3 messages" }).waitFor();
    await page.getByRole("button", { name: /There is no such list/ }).click();
    const [first] = await letters();
    await page.getByRole("button", { name: `Message ${first?.id}`, exact: true }).click();
    const panel = page.getByRole("dialog", { name: `Message ${first?.id}` });
    await panel.getByText("The answer had status 422:").waitFor();
    await expectAccessible(page);

    const letter = await dashboard.api<Letter>("GET", `/dead_letters/${first?.id}`);
    const edited = JSON.stringify(letter.message, null, 2).replaceAll('"old"', '"corrected"');
    await panel.getByRole("textbox", { name: "The message" }).click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(edited);
    await panel.getByRole("button", { name: "Save edit and retry" }).click();
    await vi.waitFor(
      () => expect(accepted).toContainEqual(expect.objectContaining({ traits_list: "corrected" })),
      PATIENCE,
    );

    missingList = "none";
    await page.getByRole("button", { name: "Retry 2 messages" }).click();
    await page.getByText("2 messages put back into the queue").waitFor();
    await page.getByText("There are no dead letters").waitFor();
    await vi.waitFor(() => {
      expect(accepted.filter(({ traits_list }) => traits_list === "old")).toHaveLength(2);
    }, PATIENCE);
  });

  test("a message that was sent is found by its user, with the request and the answer", async () => {
    const page = await open("tab=deliveries&view=sent&result=delivered");
    await page.getByRole("combobox", { name: "User" }).fill("u4");
    await page.getByRole("option", { name: "u4" }).click();
    const table = page.getByRole("table", { name: "Sent messages" });
    await expect.poll(() => table.getByRole("row").count(), PATIENCE).toBe(2);
    await table.getByRole("button").click();
    const panel = page.getByRole("dialog");
    await panel
      .getByText("The message as it was sent")
      .or(panel.getByText("Request", { exact: true }))
      .first()
      .waitFor();
    await panel.getByText('"traits_list": "news"').waitFor();
    await panel.getByText('"flow_control"').waitFor();
    // The pointer is over the time of the row, which shows a tooltip.
    await page.mouse.move(0, 0);
    await page.getByRole("tooltip").waitFor({ state: "detached" });
    await expectAccessible(page);
  });

  test("what the service refused is told with its own words: in the causes, on the person, and by a test", async () => {
    const [blocked] = [userEntry(connector, "u5", "traits", { list: "blocked" })];
    await sendEntries(dashboard, connector, [blocked]);
    await vi.waitFor(async () => expect(await letters()).toHaveLength(1), PATIENCE);

    const page = await open("tab=overview");
    const causes = page.getByRole("table", { name: "Failed calls by cause" });
    await causes.getByText("The service refused it with status 400. The address is blocked.").waitFor();
    await page.getByText(/1 message was given up\. The last call: The service refused it with status 400\./).waitFor();
    await page.getByRole("listitem").filter({ hasText: "Refused by the service" }).waitFor();
    // The rail does not call an organization healthy whose connector is red.
    await page.getByRole("link", { name: "1 message to Newsletter could not be delivered." }).waitFor();

    const deliveries = await open("tab=deliveries&view=sent&result=failed");
    const table = deliveries.getByRole("table", { name: "Sent messages" });
    const row = table.getByRole("row").filter({ hasText: "Refused by the service" });
    await row.getByText('400 {"error":"The address is blocked."}').waitFor();
    await row.getByRole("button").click();
    const sent = deliveries.getByRole("dialog");
    await sent.getByText("The service answered with status 400").waitFor();
    await deliveries.mouse.move(0, 0);
    await deliveries.getByRole("tooltip").waitFor({ state: "detached" });
    await expectAccessible(deliveries);

    await page.getByRole("button", { name: "Send test" }).click();
    const panel = page.getByRole("dialog", { name: "Test Newsletter" });
    await panel.getByText('"traits_list": "blocked"').waitFor();
    await panel.getByRole("button", { name: "Send test" }).click();
    await panel.getByText("Refused by the service: The service refused it with status 400.").waitFor();
    await panel.getByText('"error": "The address is blocked."').first().waitFor();
    await expectAccessible(page);

    const users = await dashboard.api<{ data: { id: string }[] }>("POST", "/search/user_reports", {
      query: { term: { external_id: "u5" } },
    });
    const person = await dashboard.open(`/users/${users.data[0]?.id}`);
    const item = person.getByRole("button", { name: /Refused by the service of Newsletter/ }).first();
    await item.getByText('400 {"error":"The address is blocked."}').waitFor();
    await item.click();
    await person.getByRole("region", { name: "Answer of the service" }).getByText("The address is blocked.").waitFor();
  });

  test("the log is live, and can be paused and filtered by a person", async () => {
    const page = await open("tab=logs");
    await page.getByText("The connector has not logged anything yet").waitFor();
    const log = (message: string, email: string) =>
      dashboard.api("POST", `/${connector.id}/logs`, { level: "error", message, context: { user_email: email } });
    await log("outgoing.user.error", "ada@example.com");
    const lines = page.getByRole("list", { name: "Log lines, the latest first" });
    await lines.getByText("outgoing.user.error").waitFor();
    await log("outgoing.user.other", "bo@example.com");
    await lines.getByText("outgoing.user.other").waitFor();
    await expectAccessible(page);

    await lines.getByText("outgoing.user.error").click();
    await page.getByRole("button", { name: "Only lines about ada@example.com" }).click();
    await lines.getByText("outgoing.user.other").waitFor({ state: "detached" });
    await expect.poll(() => lines.getByRole("listitem").count(), PATIENCE).toBe(1);
    expect(new URL(page.url()).searchParams.get("text")).toBe("ada@example.com");

    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText(/^Paused/).waitFor();
    await log("outgoing.user.later", "ada@example.com");
    await page.getByRole("button", { name: "Go on" }).click();
    await lines.getByText("outgoing.user.later").waitFor();
  });

  test("batches and exports of the connector are listed", async () => {
    const page = await open("tab=deliveries&view=jobs");
    await page.getByText("Nothing was sent in bulk").waitFor();
    await expectAccessible(page);
    await callApi(dashboard.url, {
      method: "POST",
      path: "/extract/users",
      headers: { ...connectorHeaders(connector), [names.organization]: dashboard.organization.id },
      body: { format: "csv", url: null, query: { match_all: {} } },
    });
    const row = page.getByRole("row").filter({ hasText: "File of users" });
    await row.getByText("done", { exact: true }).waitFor(PATIENCE);
    // The file is at the address of the page, whatever address the server believes to have.
    expect(await row.getByRole("link", { name: "Download" }).getAttribute("href")).toMatch(/^\//);
    await expectAccessible(page);
  });

  test("are said to be unknown when they cannot be read, and the connector is not switched off without a question", async () => {
    const page = await dashboard.windowOfTest();
    await failCalls(page, "**/api/v1/deliveries?*");
    await page.goto(dashboard.address("/connectors"));
    await page.getByRole("alert").getByText(FAILED).waitFor();
    const row = page.getByRole("list", { name: "Installed connectors" }).getByRole("listitem");
    await row.getByText("Whether it gets its messages is not known.").waitFor();
    await row.getByRole("switch").locator("..").click();
    const question = page.getByRole("dialog", { name: "Switch Newsletter off" });
    await question.getByText("How many messages wait for this connector is not known.").waitFor();
    await question.getByRole("button", { name: "Switch off and drop messages" }).waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();
    expect(await dashboard.api("GET", `/${connector.id}`)).toMatchObject({ enabled: true });

    await failCalls(page, "**/api/v1/*/delivery");
    await page.getByRole("link", { name: "Newsletter", exact: true }).click();
    await page.getByRole("button", { name: "More actions for Newsletter" }).click();
    await page.getByRole("menuitem", { name: "Uninstall" }).click();
    await page.getByText(/all messages that wait and all messages that were given up/).waitFor();
  });
});
