import { pino } from "pino";
import { expect, test } from "vitest";
import type { Connector } from "../domain/connectors/connector.js";
import type { Mail } from "../outbound/mailer.js";
import { LogSummaries } from "./log-summaries.js";

const HOUR_MS = 3_600_000;
const NOW = Date.parse("2026-01-01T00:00:00Z");

/** Only the parts of a connector that mails are about. */
function connectorOf(id: string, organizationId: string, name = "CRM"): Connector {
  return { id, organizationId, name } as Connector;
}

function open() {
  const mails: Mail[] = [];
  let isDown = false;
  const summaries = new LogSummaries({
    mailer: {
      async send(mail) {
        if (isDown) throw new Error("The mail server is down.");
        mails.push(mail);
      },
      close() {},
    },
    recipients: async () => ["ann@example.com"],
    logger: pino({ level: "silent" }),
  });
  const setDown = (down: boolean) => {
    isDown = down;
  };
  return { mails, summaries, setDown };
}

/** Summaries of which no two are the same, such as those that name a user. */
const different = (count: number, prefix = "User") => Array.from({ length: count }, (_, index) => `${prefix} ${index}`);

test("a connector whose summaries all differ is mailed about five times an hour, and the next mail counts the rest", async () => {
  const { mails, summaries } = open();
  const connector = connectorOf("c1", "o1");
  for (const summary of different(200)) await summaries.mail(connector, [summary], NOW);
  expect(mails).toHaveLength(5);
  await summaries.mail(connector, ["Later"], NOW + HOUR_MS);
  expect(mails).toHaveLength(6);
  expect(mails[5]?.text).toContain("195 other summaries of this connector were not mailed");
  await summaries.mail(connector, ["Later still"], NOW + HOUR_MS);
  expect(mails[6]?.text).not.toContain("were not mailed");
});

test("an organization is mailed about ten times an hour, however many connectors it has", async () => {
  const { mails, summaries } = open();
  for (const id of ["c1", "c2", "c3", "c4"]) await summaries.mail(connectorOf(id, "o1"), different(50), NOW);
  expect(mails).toHaveLength(10);
  await summaries.mail(connectorOf("c9", "o2"), ["Of another organization."], NOW);
  expect(mails).toHaveLength(11);
});

test("the same summary is mailed once an hour, and its repetitions are counted", async () => {
  const { mails, summaries } = open();
  const connector = connectorOf("c1", "o1");
  for (const minutes of [0, 1, 59, 60]) await summaries.mail(connector, ["Revoked."], NOW + minutes * 60_000);
  expect(mails).toHaveLength(2);
  expect(mails[1]?.text).toContain("2 other summaries");
});

test("a summary whose mail could not be sent is counted in the next mail", async () => {
  const { mails, summaries, setDown } = open();
  setDown(true);
  await summaries.mail(connectorOf("c1", "o1"), ["Lost."], NOW);
  setDown(false);
  await summaries.mail(connectorOf("c1", "o1"), ["Sent."], NOW);
  expect(mails).toMatchObject([{ text: expect.stringContaining("1 other summary of this connector was not mailed") }]);
});

test("names and summaries of any form make a mail of limited size, with a subject of one line", async () => {
  const { mails, summaries } = open();
  const connector = connectorOf("c1", "o1", `CRM\r\nBcc: all@example.com ${"x".repeat(5_000)}`);
  await summaries.mail(connector, [`\u0000\u001b[31m${"y".repeat(100_000)}`], NOW);
  const [mail] = mails;
  expect(mail?.subject).toMatch(/^[^\r\n]{1,200}$/);
  expect(mail?.text.length).toBeLessThan(5_000);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the mail must not contain
  expect(mail?.text).not.toMatch(/[\u0000\u001b]/);
});
