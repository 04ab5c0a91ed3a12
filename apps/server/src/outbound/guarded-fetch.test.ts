import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createGuardedFetch } from "./guarded-fetch.js";

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});

async function serve(handler: RequestListener): Promise<{ url: string; port: number }> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port };
}

/** A resolver that gives another answer each time, as a hostile name server would. */
function resolveTo(...answers: string[]): { lookup: LookupFunction; asked: () => number } {
  let asked = 0;
  return {
    lookup: (_hostname, _options, callback) => {
      const address = answers[Math.min(asked++, answers.length - 1)]!;
      callback(null, [{ address, family: address.includes(":") ? 6 : 4 }]);
    },
    asked: () => asked,
  };
}

/** Allows the servers of these tests, and no other address of this machine. */
const onlyThisAddress = { allowPrivateNetwork: false, isAllowed: (address: string) => address === "127.0.0.1" };

test.each([
  "http://127.0.0.1/",
  "http://localhost/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://0x7f000001/",
  "http://2130706433/",
  "http://127.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://10.0.0.1/",
])("%s is refused without connecting", async (url) => {
  const fetch = createGuardedFetch({ allowPrivateNetwork: false });
  await expect(fetch(url)).rejects.toMatchObject({ problem: "refused_address" });
});

test.each(["ftp://example.com/", "file:///etc/passwd", "no address"])(
  "%s is refused: it is not an http address",
  async (url) => {
    const fetch = createGuardedFetch({ allowPrivateNetwork: true });
    await expect(fetch(url)).rejects.toMatchObject({ problem: "bad_url" });
  },
);

test("local addresses are reached when the private network is allowed", async () => {
  const { url } = await serve((_request, response) => response.end("hello"));
  const answer = await createGuardedFetch({ allowPrivateNetwork: true })(url);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe("hello");
});

test("a name that resolves to a private address is refused", async () => {
  const { lookup } = resolveTo("192.168.1.1");
  const fetch = createGuardedFetch({ allowPrivateNetwork: false, lookup });
  await expect(fetch("http://innocent.example/")).rejects.toMatchObject({ problem: "refused_address" });
});

test("a name is resolved once, and the connection is made to the address that was checked", async () => {
  const { port } = await serve((_request, response) => response.end("checked"));
  const { lookup, asked } = resolveTo("127.0.0.1", "10.0.0.1");
  const answer = await createGuardedFetch({ ...onlyThisAddress, lookup })(`http://rebinding.example:${port}/`);
  expect(await answer.text()).toBe("checked");
  expect(asked()).toBe(1);
});

test("a redirect to an address that is not allowed is refused", async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(302, { location: "http://127.0.0.2/internal" }).end();
  });
  const fetch = createGuardedFetch(onlyThisAddress);
  await expect(fetch(url)).rejects.toMatchObject({ problem: "refused_address" });
});

test("a redirect to a name that now resolves to a private address is refused", async () => {
  const { port } = await serve((_request, response) => {
    response.writeHead(307, { location: "/again" }).end();
  });
  const { lookup } = resolveTo("127.0.0.1", "10.0.0.1");
  const fetch = createGuardedFetch({ ...onlyThisAddress, lookup });
  await expect(fetch(`http://rebinding.example:${port}/`)).rejects.toMatchObject({ problem: "refused_address" });
});

test("credentials do not follow a redirect to another origin", async () => {
  const target = await serve((request, response) => response.end(JSON.stringify(request.headers)));
  const { url } = await serve((_request, response) => response.writeHead(302, { location: target.url }).end());
  const answer = await createGuardedFetch(onlyThisAddress)(url, {
    headers: { Authorization: "Bearer x", "x-kept": "1" },
  });
  const headers = JSON.parse(await answer.text()) as Record<string, string>;
  expect(headers.authorization).toBeUndefined();
  expect(headers["x-kept"]).toBe("1");
  expect(answer.url).toBe(`${target.url}/`);
});

test("a posted body is sent again after 307 and not after 303", async () => {
  const { url } = await serve(async (request, response) => {
    const status = Number(request.url?.slice(1));
    if (status) {
      response.writeHead(status, { location: "/" }).end();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.end(`${request.method} ${Buffer.concat(chunks).toString()}`);
  });
  const fetch = createGuardedFetch(onlyThisAddress);
  const post = { method: "POST", body: "payload" };
  expect(await (await fetch(`${url}/307`, post)).text()).toBe("POST payload");
  expect(await (await fetch(`${url}/303`, post)).text()).toBe("GET ");
});

test("a redirect that never ends is given up", async () => {
  const { url } = await serve((_request, response) => response.writeHead(302, { location: "/" }).end());
  await expect(createGuardedFetch(onlyThisAddress)(url)).rejects.toMatchObject({ problem: "too_many_redirects" });
});

test("an answer larger than the limit fails while it is read", async () => {
  const { url } = await serve((_request, response) => response.end(Buffer.alloc(2_000)));
  const answer = await createGuardedFetch(onlyThisAddress)(url, { maxBytes: 1_999 });
  await expect(answer.text()).rejects.toMatchObject({ problem: "too_large" });
});

test("a request to a host that never answers is given up", async () => {
  const { url } = await serve(() => {});
  await expect(createGuardedFetch(onlyThisAddress)(url, { timeoutMs: 50 })).rejects.toMatchObject({
    problem: "timeout",
  });
});

test("a body that arrives slowly and never ends is given up", async () => {
  const { url } = await serve((_request, response) => {
    const timer = setInterval(() => response.write("."), 10);
    response.on("close", () => clearInterval(timer));
  });
  const answer = await createGuardedFetch(onlyThisAddress)(url, { timeoutMs: 100 });
  await expect(answer.text()).rejects.toMatchObject({ problem: "timeout" });
});

test("a body that stops arriving is given up long before the whole time is over", async () => {
  const { url } = await serve((_request, response) => response.write("half"));
  const answer = await createGuardedFetch(onlyThisAddress)(url, { timeoutMs: 60_000, idleMs: 50 });
  await expect(answer.text()).rejects.toMatchObject({ problem: "timeout" });
});

test("the error of a broken connection names the host", async () => {
  const { url } = await serve((request) => request.socket.destroy());
  await expect(createGuardedFetch(onlyThisAddress)(url)).rejects.toMatchObject({
    problem: "network",
    message: expect.stringContaining(url),
  });
});
