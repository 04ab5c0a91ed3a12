import { createServer, type RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { freePort } from "../../../../testing/free-port.js";
import { postForm } from "./post-form.js";

let close: () => void = () => {};
afterEach(() => close());

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  return `http://127.0.0.1:${port}/token?tenant=1`;
}

test("a form is posted, and the answer is read whatever its status is", async () => {
  const got: unknown[] = [];
  const url = await serve(async (request, response) => {
    got.push([request.method, request.url, request.headers["content-type"], await text(request)]);
    response.writeHead(401).end('{"error":"ü"}');
  });
  expect(await postForm(url, { code: "a b&c", secret: "ü" })).toEqual({ status: 401, text: '{"error":"ü"}' });
  expect(got).toEqual([["POST", "/token?tenant=1", "application/x-www-form-urlencoded", "code=a+b%26c&secret=%C3%BC"]]);
});

test("a redirect is an answer, and an answer without an end is refused", async () => {
  const url = await serve((request, response) => {
    if (request.url !== "/endless") {
      response.writeHead(307, { location: "/elsewhere" }).end();
      return;
    }
    const write = () => {
      while (!response.destroyed && response.write("x".repeat(64 * 1024)));
    };
    response.on("drain", write);
    write();
  });
  expect((await postForm(url, {})).status).toBe(307);
  await expect(postForm(new URL("/endless", url).href, {})).rejects.toThrow("The answer of the service is too large.");
});

test("an address that is none, or of another scheme, is refused", async () => {
  await expect(async () => postForm("no address", {})).rejects.toThrow("Invalid URL");
  await expect(async () => postForm("file:///etc/passwd", {})).rejects.toThrow();
});
