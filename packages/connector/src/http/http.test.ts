import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "@muster/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TransientError } from "../errors/transient-error.js";
import { createMetric } from "../metrics/metric.js";
import type { Tags } from "../metrics/metric-sink.js";
import { createHttp, type HttpOptions } from "./create-http.js";

let server: Server;
let url: string;
let script: RequestListener[];
let paths: string[];
beforeEach(async () => {
  script = [];
  paths = [];
  server = createServer((request, response) => {
    paths.push(request.url ?? "");
    const next = script.shift();
    if (next) next(request, response);
    else response.setHeader("content-type", "application/json").end('{"ok":true}');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const reset: RequestListener = (_request, response) => response.destroy();

function open(options: HttpOptions = {}) {
  const logs: { message: string; data: unknown }[] = [];
  const counted: { name: string; tags: Tags }[] = [];
  const debug = (message: string, data?: unknown) => void logs.push({ message, data });
  const sink = {
    increment: (name: string, _value: number, tags: Tags) => void counted.push({ name, tags }),
    value() {},
    event() {},
  };
  // Only the log level that is used.
  const client = { logger: { debug } as unknown as Logger } as Parameters<typeof createHttp>[0]["client"];
  return { http: createHttp({ client, metric: createMetric([sink], {}) }, options), logs, counted };
}

/** Makes a call whose connection fails with a code, and counts the attempts. */
async function failWith(code: string, options: HttpOptions = {}): Promise<{ error: unknown; attempts: number }> {
  let attempts = 0;
  const request = open(options).http.get("http://service.test/");
  const lookup = (_host: string, _options: unknown, found: (error: Error) => void) => {
    attempts += 1;
    found(Object.assign(new Error(`It failed with ${code}.`), { code }));
  };
  // Its type does not know this method, which sets how the host is found.
  const error = await (request as unknown as { lookup(given: typeof lookup): Promise<unknown> })
    .lookup(lookup)
    .then(() => undefined)
    .catch((reason: unknown) => reason);
  return { error, attempts };
}

describe("errors", () => {
  it("of the connection lead to two more attempts", async () => {
    script = [reset, reset];
    const { body } = await open().http.get(url);
    expect(body).toEqual({ ok: true });
    expect(paths).toHaveLength(3);
  });

  it("of a connection that keeps failing are transient", async () => {
    script = [reset, reset, reset];
    await expect(open().http.get(url)).rejects.toThrow(TransientError);
    expect(paths).toHaveLength(3);
    script = [() => {}];
    await expect(open({ timeout: 50, retries: 0 }).http.get(url)).rejects.toThrow(TransientError);
  });

  it.each(["ECONNRESET", "ETIMEDOUT", "EADDRINFO", "ESOCKETTIMEDOUT", "ECONNABORTED"])(
    "with the code %s lead to two more attempts, and then to a transient error",
    async (code) => {
      const { error, attempts } = await failWith(code);
      expect(error).toBeInstanceOf(TransientError);
      expect(error).toMatchObject({ cause: { code } });
      expect(attempts).toBe(3);
    },
  );

  it.each(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EPIPE", "EHOSTUNREACH", "CERT_HAS_EXPIRED"])(
    "with the code %s are final",
    async (code) => {
      const { error, attempts } = await failWith(code);
      expect(error).not.toBeInstanceOf(TransientError);
      expect(error).toMatchObject({ code });
      expect(attempts).toBe(1);
    },
  );

  it("of an attempt that takes too long lead to two more attempts", async () => {
    script = [() => {}, () => {}];
    const { body } = await open({ timeout: 200 }).http.get(url);
    expect(body).toEqual({ ok: true });
    expect(paths).toHaveLength(3);
  });

  it("lead to as many more attempts as the option `retries` says", async () => {
    script = [reset];
    await expect(open({ retries: 0 }).http.get(url)).rejects.toThrow(TransientError);
    expect(paths).toHaveLength(1);
    expect((await failWith("ECONNRESET", { retries: 4 })).attempts).toBe(5);
  });

  it.each([400, 404, 429, 500, 503])("are answers of status %i, which are not tried again", async (status) => {
    script = [(_request, response) => response.writeHead(status).end()];
    await expect(open().http.post(url).send({ a: 1 })).rejects.toMatchObject({ status });
    expect(paths).toHaveLength(1);
  });

  it("are not answers of 2xx and 3xx", async () => {
    script = [(_request, response) => response.writeHead(304).end()];
    expect((await open().http.get(url)).status).toBe(304);
  });
});

describe("addresses", () => {
  it("are filled in from defaults and from the request, escaped", async () => {
    const { http } = open({ variables: { account: "7", list: "default" } });
    await http.get(`${url}/{{account}}/{{list}}`).tmplVar({ list: "a/b" });
    expect(paths).toEqual(["/7/a%2Fb"]);
  });

  it("with a variable that has no value are not called", async () => {
    const { http } = open();
    await expect(async () => http.get(`${url}/{{list}}`)).rejects.toThrow('has no value for "list"');
    expect(paths).toEqual([]);
  });
});

it("every answer is logged and counted by the template of its address", async () => {
  const { http, logs, counted } = open();
  await http.get(`${url}/lists/{{list}}?key=secret`).tmplVar({ list: "5" });
  expect(logs).toEqual([
    {
      message: "ship.service_api.request",
      data: {
        url: `${url}/lists/{{list}}`,
        method: "GET",
        status: 200,
        vars: { list: "5" },
        responseTime: expect.any(Number),
      },
    },
  ]);
  expect(counted.map(({ name }) => name)).toEqual(["ship.service_api.request", "ship.service_api.call"]);
  expect(counted[0]?.tags).toMatchObject({ status: "200", statusGroup: "2xx", endpoint: `GET ${url}/lists/{{list}}` });
});
