import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { Addresses } from "../../apps/server/src/domain/organizations/addresses.js";
import { readConfig } from "../../apps/server/src/runtime/settings/config.js";
import { guideBlock } from "./kit/guide-block.js";

test("the settings for existing clients give the hosts that the page names", () => {
  const settings = guideBlock("docs/moving-from-hull.md", "settings");
  const script = `set -a\n${settings}\nprintenv -0`;
  const printed = execFileSync("bash", ["--norc", "-c", script], { env: { PATH: process.env.PATH } });
  const environment = Object.fromEntries(
    printed
      .toString()
      .split("\0")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  const { brand, baseDomain, publicUrl = "", port } = readConfig({ ...environment, DATA_DIR: "data" });
  expect([brand, port]).toEqual(["Hull", 443]);
  const host = new Addresses(publicUrl, baseDomain).organizationHost("acme");
  expect(host).toBe("acme.data.example.com");
  expect(host.replace(/^[^.]+/, "firehose")).toBe("firehose.data.example.com");
});
