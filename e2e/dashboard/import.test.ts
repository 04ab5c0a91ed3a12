// @module-tag long
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWebServer, type WebServer } from "../../testing/start-web-server.js";
import { PATIENCE } from "../support/patience.js";
import { Dashboard, expectAccessible, hasBrowser } from "./kit/dashboard.js";
import { FAILED, failCalls } from "./kit/fail-calls.js";
import { hold } from "./kit/hold-calls.js";
import { runJob } from "./kit/jobs.js";

const FILE = [
  "E-mail;Full name;Seats;Notes",
  ...Array.from({ length: 20 }, (_, n) => `new${n}@example.com;Person ${n};${n};x`),
  "known0@example.com;Known;50;",
  "known1@example.com;Known;51;",
  "bad0@example.com;Bad;many;",
  "bad1@example.com;Bad;more;",
  ";Nobody;1;",
].join("\r\n");

describe.runIf(hasBrowser)("an import in the dashboard", () => {
  let dashboard: Dashboard;
  let web: WebServer;
  let file: string;
  beforeAll(async () => {
    dashboard = await Dashboard.onNew("Imports");
    const known = [0, 1].map((n) => JSON.stringify({ email: `known${n}@example.com`, seats: n }));
    file = known.join("\n");
    web = await startWebServer((_request, response) => response.end(file));
    await runJob(dashboard, "/import/users", { url: `${web.url}/known.json`, format: "json" });
  });
  afterAll(async () => {
    await web?.close();
    await dashboard?.close();
  });

  test("of a CSV file with errors says what will happen, does that, and gives the refused rows back", async () => {
    const page = await dashboard.open("/import");
    await expectAccessible(page);
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose a file" }).click();
    await (await choosing).setFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(FILE) });

    await page.getByText("25 rows, 4 columns.").waitFor();
    expect(await page.getByRole("combobox", { name: "Cells are separated by" }).inputValue()).toBe("Semicolon");
    expect(await page.getByRole("combobox", { name: "E-mail becomes" }).inputValue()).toBe("Identifier");
    await page.getByText('"seats" is a number, and 2 values of 25 in the sample cannot be read as that.').waitFor();
    expect(await page.getByRole("combobox", { name: "Name of E-mail" }).inputValue()).toBe("E-mail");
    await expectAccessible(page);
    await page.getByRole("textbox", { name: "Name of Full name" }).fill("title");
    await page.getByRole("combobox", { name: "Notes becomes" }).click();
    await page.getByRole("option", { name: "Leave out" }).click();

    await page.getByRole("button", { name: "Check the whole file" }).click();
    await page.getByText("20 new users, 2 updated, 3 refused.").waitFor();
    await page.getByText('The column "Seats" is not a number.').waitFor();
    await page.getByText(/2 rows, the first in line 24/).waitFor();
    await page.reload();
    await page.getByText("20 new users, 2 updated, 3 refused.").waitFor();
    expect(await page.getByRole("textbox", { name: "Name of Full name" }).inputValue()).toBe("title");
    const begin = await hold(page, "**/api/v1/import/users");
    let begun = 0;
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/import/users")) begun++;
    });
    await page.getByRole("button", { name: "Import 22 rows" }).dblclick();
    expect(await page.getByRole("button", { name: "Import 22 rows" }).isDisabled()).toBe(true);
    begin();

    await page.getByRole("heading", { name: "Imported" }).waitFor();
    await page.getByText("25 rows read, 3 refused.").waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download the refused rows" }).click();
    const refused = await readFile(await (await downloading).path(), "utf8");
    expect(refused.split("\r\n").slice(0, 2)).toEqual([
      "E-mail;Full name;Seats;Notes;reason",
      'bad0@example.com;Bad;many;;"The column ""Seats"" is not a number."',
    ]);
    expect(refused.trim().split("\r\n")).toHaveLength(4);
    expect(begun).toBe(1);
    const found = await dashboard.api<{ data: object[] }>("POST", "/search/subjects", { text: "new7@example.com" });
    expect(found.data).toMatchObject([{ traits_title: "Person 7", traits_seats: 7 }]);
  });

  test("says so when it cannot be read, and does not offer to begin it again", async () => {
    const jobs = await dashboard.api<{ id: string; progress: { rejected: number }; dry_run?: boolean }[]>(
      "GET",
      "/jobs",
    );
    const job = jobs.find(({ progress, dry_run }) => progress.rejected === 3 && !dry_run);
    const page = await dashboard.windowOfTest();
    const letJobBeRead = await failCalls(page, `**/api/v1/${job?.id}`);
    const letReasonsBeRead = await failCalls(page, "**/api/v1/imports/*/reasons");
    await page.goto(dashboard.address(`/import?job=${job?.id}`));
    await page.getByText(FAILED).waitFor();
    expect(await page.getByRole("button", { name: "Check the whole file" }).count()).toBe(0);
    await letJobBeRead();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("3 rows refused.", { exact: true }).waitFor();
    await page.getByText(FAILED).waitFor();
    await letReasonsBeRead();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("3 rows refused, because:").waitFor();
    await page.getByText('The column "Seats" is not a number.').waitFor();
  });

  test("gives every row values, records an event for each user, and begins at a time", async () => {
    const choose = async () => {
      const page = await dashboard.open("/import");
      const choosing = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Choose a file" }).click();
      const rows = "email,source\nfair0@example.com,\nfair1@example.com,friend\n";
      await (await choosing).setFiles({ name: "fair.csv", mimeType: "text/csv", buffer: Buffer.from(rows) });
      await page.getByRole("button", { name: "More options" }).click();
      return page;
    };
    const check = async (page: Page) => {
      await page.getByRole("button", { name: "Check the whole file" }).click();
      await page.getByText("2 new users, 0 updated, none refused.").waitFor();
    };
    const later = await choose();
    await later.getByLabel("Begin at").fill("2020-01-01T08:00");
    await later.getByText("The import cannot begin in the past.").waitFor();
    await later.getByLabel("Begin at").fill("2100-01-01T08:00");
    await check(later);
    await later.getByRole("button", { name: "Import 2 rows at that time" }).click();
    await later.getByText(/Importing: begins at .*2100/).waitFor();
    await later.getByRole("button", { name: "Cancel" }).click();
    await later.getByText(/^Canceled after 0 rows/).waitFor();

    const page = await choose();
    await page.getByRole("button", { name: "Add a value" }).click();
    await page.getByLabel("Attribute 1", { exact: true }).fill("source");
    await page.getByLabel("Value 1").fill("fair");
    await page.getByRole("switch", { name: "Record an “Imported User” event for each user" }).click({ force: true });
    await page.getByRole("textbox", { name: "Note" }).fill("From the stand in Bern");
    await expectAccessible(page);
    await check(page);
    await page.getByRole("button", { name: "Import 2 rows" }).click();
    await page.getByRole("heading", { name: "Imported" }).waitFor();
    const search = async (path: string, body: object) =>
      (await dashboard.api<{ data: object[] }>("POST", `/search/${path}`, body)).data;
    const people = { query: { prefix: { email: "fair" } }, sort: { email: "asc" } };
    await expect
      .poll(() => search("user_reports", people), PATIENCE)
      .toMatchObject([{ traits_source: "fair" }, { traits_source: "friend" }]);
    const properties = { job_name: "fair.csv", job_description: "From the stand in Bern" };
    await expect
      .poll(() => search("events", { query: { term: { event: "Imported User" } } }), PATIENCE)
      .toMatchObject([{ properties }, { properties }]);
    await page.getByRole("tab", { name: "Jobs" }).click();
    await page.getByText("From the stand in Bern").first().waitFor();
  });

  test("is in the list of jobs with what it did", async () => {
    const page = await dashboard.open("/import?tab=jobs");
    await page.getByText("25 rows read, 3 refused.").waitFor();
    await page.getByText("Dry run of users").first().waitFor();
    await expectAccessible(page);
  });

  test("is undone after the screen has said what that means, and comes back when that is undone", async () => {
    const before = [{ email: "undo0@example.com", rank: "old" }];
    file = before.map((one) => JSON.stringify(one)).join("\n");
    await runJob(dashboard, "/import/users", { url: `${web.url}/before.json`, format: "json" });
    const rows = [0, 1].map((n) => ({ email: `undo${n}@example.com`, rank: "new" }));
    file = rows.map((one) => JSON.stringify(one)).join("\n");
    const options = { url: `${web.url}/ranks.json`, format: "json", overwrite: true };
    await runJob(dashboard, "/import/users", options);
    const ranks = async () => {
      const query = { query: { prefix: { email: "undo" } }, sort: { email: "asc" } };
      const { data } = await dashboard.api<{ data: { traits_rank: string }[] }>("POST", "/search/user_reports", query);
      return data.map(({ traits_rank }) => traits_rank);
    };
    const page = await dashboard.open("/import?tab=jobs");
    await page.getByRole("button", { name: "Undo this import" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("What will happen").waitFor();
    await dialog.getByText("1 value returns to what it was.").waitFor();
    await dialog.getByText("1 user or account that existed only because of it is removed.").waitFor();
    await dialog.getByText("rank: new → old").waitFor();
    await expectAccessible(page);
    expect(await ranks()).toEqual(["new", "new"]);
    await dialog.getByRole("button", { name: "Undo this import" }).click();
    await dialog.getByText("What has happened").waitFor();
    expect(await ranks()).toEqual(["old"]);
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await page.getByRole("button", { name: "Undo this undo" }).first().click();
    await dialog.getByText("1 user or account that was removed comes back.").waitFor();
    await dialog.getByRole("button", { name: "Undo this undo" }).click();
    await dialog.getByText("What has happened").waitFor();
    expect(await ranks()).toEqual(["new", "new"]);
    await dialog.getByRole("button", { name: "Close" }).last().click();
  });

  test("a file of a segment is not written before the segment is known, and another object has other segments", async () => {
    const known = { name: "Known", query: { prefix: { email: "known" } }, predicate: {} };
    const { id } = await dashboard.api<{ id: string }>("POST", "/users_segments", known);
    const page = await dashboard.windowOfTest();
    const heal = await failCalls(page, "**/api/v1/users_segments");
    await page.goto(dashboard.address(`/import?tab=export&segment=${id}`));
    await page.getByText(FAILED).waitFor();
    const write = page.getByRole("button", { name: "Write the file" });
    expect(await write.isDisabled()).toBe(true);
    await heal();
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => write.isEnabled(), PATIENCE).toBe(true);
    await write.click();
    await page.getByText("2 users.").waitFor();
    await page.getByRole("tabpanel").getByText("Accounts", { exact: true }).click();
    await page.waitForURL(/object=accounts/);
    expect(page.url()).not.toContain("segment=");
    expect(await write.isEnabled()).toBe(true);

    await page.goto(dashboard.address("/import?tab=export&segment=0123456789abcdef01234567"));
    await expect
      .poll(() => page.getByRole("combobox", { name: "Who" }).inputValue(), PATIENCE)
      .toBe("A segment that is not there");
    expect(await write.isDisabled()).toBe(true);
  });

  test("a file of everybody is written and downloaded", async () => {
    const page = await dashboard.open("/import?tab=export");
    await expectAccessible(page);
    await page.getByRole("combobox", { name: "Columns" }).click();
    await page.getByRole("option", { name: "E-mail", exact: true }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Write the file" }).click();
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).click();
    const text = await readFile(await (await downloading).path(), "utf8");
    expect(text.trim().split(/\r?\n/)).toHaveLength(27);
  });
});
