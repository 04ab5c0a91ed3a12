import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { withTestServer } from "../testing/test-server.js";

/** A self-signed certificate for localhost, 127.0.0.1 and the names below hull.test, valid for a hundred years. */
const CERT_FILE = fileURLToPath(new URL("../testing/certificate/cert.pem", import.meta.url));
const KEY_FILE = fileURLToPath(new URL("../testing/certificate/key.pem", import.meta.url));

function get(url: string, ca: string) {
  return new Promise<{ status: number | undefined; hsts: string | undefined }>((resolve, reject) => {
    const call = request(url, { ca, agent: false }, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode, hsts: answer.headers["strict-transport-security"] });
    });
    call.on("error", reject).end();
  });
}

test("with a certificate and its key the server accepts only HTTPS", async () => {
  await withTestServer({ TLS_CERT_FILE: CERT_FILE, TLS_KEY_FILE: KEY_FILE }, async (server) => {
    await server.listen();
    expect(server.url).toMatch(/^https:/);
    const answer = await get(`${server.url}/readyz`, await readFile(CERT_FILE, "utf8"));
    expect(answer).toEqual({ status: 200, hsts: expect.stringContaining("max-age=") });
    await expect(fetch(`${server.url.replace("https:", "http:")}/readyz`)).rejects.toThrow();
  });
});

test("a key that cannot be read stops the start, and the error names the file", async () => {
  const missing = join(tmpdir(), "no-such-key.pem");
  const start = withTestServer({ TLS_CERT_FILE: CERT_FILE, TLS_KEY_FILE: missing }, async () => "started");
  await expect(start).rejects.toThrow(/TLS_KEY_FILE.*no-such-key\.pem/);
});

test("an invalid certificate stops the start, and the error names the setting", async () => {
  const start = withTestServer({ TLS_CERT_FILE: KEY_FILE, TLS_KEY_FILE: KEY_FILE }, async () => "started");
  await expect(start).rejects.toThrow(/TLS_CERT_FILE/);
});
