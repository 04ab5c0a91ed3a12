import { expect, test } from "vitest";
import { SecretRedactor } from "./secret-redactor.js";

const redactor = new SecretRedactor({
  secret: "s3cr3t",
  privateSettings: { region: "eu", keys: { api: 'key with "quotes"' }, list: ["another key"] },
  manifest: {},
});

test("secrets are taken out as they are, within JSON, and within addresses", () => {
  expect(redactor.text("a s3cr3t b")).toBe("a [private] b");
  expect(redactor.text(JSON.stringify({ key: 'key with "quotes"' }))).toBe('{"key":"[private]"}');
  expect(redactor.text("http://x/?k=another%20key")).toBe("http://x/?k=[private]");
});

test("short private settings stay, because they are ordinary words", () => {
  expect(redactor.text("region eu")).toBe("region eu");
});

test("all texts of a JSON value are looked at", () => {
  expect(redactor.object({ a: ["s3cr3t"], b: { s3cr3t: 1 }, c: null })).toEqual({
    a: ["[private]"],
    b: { "[private]": 1 },
    c: null,
  });
});

test("a choice that the manifest lists is no secret", () => {
  const choices = ["user.created", "user.updated"];
  const withChoices = new SecretRedactor({
    secret: "s".repeat(48),
    privateSettings: { triggers: ["user.created"], mode: "everything", api_key: "hunter2-hunter2" },
    manifest: {
      private_settings: [
        { name: "triggers", type: "array", items: { type: "string", enum: choices } },
        { name: "mode", type: "string", enum: ["everything", "nothing"] },
        { name: "api_key", type: "string" },
      ],
    },
  });
  expect(withChoices.text("user.created everything hunter2-hunter2")).toBe("user.created everything [private]");
});

test("server keys are taken out; page keys are public and stay", () => {
  const [server, page] = [`wks_${"aB3".repeat(11).slice(1)}`, `wkp_${"aB3".repeat(11).slice(1)}`];
  expect(redactor.text(`curl -u ${server}: and ${page}`)).toBe(`curl -u [private]: and ${page}`);
});
