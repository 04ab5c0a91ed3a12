import { createServer, get } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isPublicAddress } from "../outbound/public-address.js";
import { guardConnections } from "./guard-connections.js";

const server = createServer((_request, response) => response.end("here"));
let platformUrl: string;
// Other files are tested in this process afterwards.
const { connect } = Socket.prototype;
const { fetch: unguardedFetch } = globalThis;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  platformUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  guardConnections({ platformUrl, isAllowed: isPublicAddress });
});
afterAll(() => {
  Socket.prototype.connect = connect;
  globalThis.fetch = unguardedFetch;
  server.closeAllConnections();
  server.close();
});

/** As code asks that calls an address of a customer: with a connection of its own. */
function ask(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => response.setEncoding("utf8").once("data", resolve)).once("error", reject);
  });
}

test("what calls Muster itself reaches it, and an address of a customer does not", async () => {
  expect(await (await fetch(platformUrl)).text()).toBe("here");
  await expect(ask(platformUrl)).rejects.toThrow("127.0.0.1 is not a public address");
  // The answer to a call of Muster leads on to other code.
  const after = fetch(platformUrl).then(() => ask(platformUrl));
  await expect(after).rejects.toThrow("127.0.0.1 is not a public address");
  await expect(ask(platformUrl.replace("127.0.0.1", "localhost"))).rejects.toThrow("is not a public address");
});
