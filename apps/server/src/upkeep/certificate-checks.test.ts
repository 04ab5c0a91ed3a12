import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { DAY_MS } from "@muster/protocol";
import { expect, test } from "vitest";
import { readCertificate, type ServedCertificate } from "../outbound/read-certificate.js";
import { CertificateChecks } from "./certificate-checks.js";

const NOW = Date.parse("2030-01-01T00:00:00Z");
const inDays = (days: number) => new Date(NOW + days * DAY_MS);
const OWN = "https://muster.example.com";

function run(found: Record<string, ServedCertificate | Error>, publicUrl = OWN) {
  const read = async (address: string) => {
    const certificate = found[address];
    if (!certificate || certificate instanceof Error) throw certificate ?? new Error(`Nobody is at ${address}.`);
    return certificate;
  };
  const connectorUrls = () => Object.keys(found).filter((address) => address !== OWN);
  return new CertificateChecks({ publicUrl: () => publicUrl, connectorUrls, read }).run(NOW);
}

const valid = (days: number) => ({ validUntil: inDays(days), problem: undefined });

test("certificates that are valid for long are good, and a server without https has none to check", async () => {
  expect(await run({ [OWN]: valid(60) })).toEqual([
    {
      name: "Certificates",
      status: "good",
      message: "The certificate of https://muster.example.com is valid until 2030-03-02.",
      advice: "",
    },
  ]);
  expect(await run({}, "http://127.0.0.1:8080")).toEqual([]);
});

test.each([
  [10, "late", "It ends on 2030-01-11, in 10 days."],
  [2, "bad", "It ends on 2030-01-03, in 2 days."],
  [-5, "bad", "It ended on 2029-12-27."],
])("a certificate with %d days left is %s", async (days, status, message) => {
  const checks = await run({ [OWN]: valid(days), "https://crm.example.com": valid(90) });
  expect(checks[0]).toEqual({ name: "Certificate", status, message, advice: expect.stringContaining("Renew it") });
});

test("an address of a connector that cannot be reached, or is not trusted, is named once", async () => {
  const checks = await run({
    [OWN]: valid(90),
    "https://crm.example.com": new Error("connect ECONNREFUSED"),
    "https://mail.example.com": { validUntil: inDays(90), problem: "SELF_SIGNED_CERT_IN_CHAIN" },
    "http://plain.example.com": valid(-1),
  });
  expect(checks.map(({ name, status }) => `${name}: ${status}`)).toEqual([
    "Certificate of crm.example.com: late",
    "Certificate of mail.example.com: late",
    "Certificates: good",
  ]);
});

test("an address that cannot be reached is tried again after a minute, not with each of the checks", async () => {
  let calls = 0;
  const checks = new CertificateChecks({
    publicUrl: () => OWN,
    connectorUrls: () => [],
    async read() {
      calls += 1;
      throw new Error("connect ECONNREFUSED");
    },
  });
  for (const seconds of [0, 5, 50]) await checks.run(seconds * 1_000);
  expect(calls).toBe(1);
  await checks.run(61_000);
  expect(calls).toBe(2);
});

test("the certificate of a real server is read, also when it is not trusted", async () => {
  const folder = new URL("../testing/certificate/", import.meta.url);
  const [cert, key] = await Promise.all(["cert.pem", "key.pem"].map((name) => readFile(new URL(name, folder))));
  const server = createServer({ cert: cert ?? "", key: key ?? "" }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // `address()` is a string only for pipes.
  const { port } = server.address() as AddressInfo;
  const { validUntil, problem } = await readCertificate(`https://127.0.0.1:${port}`);
  expect(validUntil.getFullYear()).toBeGreaterThan(2100);
  expect(problem).toMatch(/SELF_SIGNED/);
  server.close();
  await once(server, "close");
  await expect(readCertificate(`https://127.0.0.1:${port}`)).rejects.toThrow(/ECONNREFUSED/);
});
