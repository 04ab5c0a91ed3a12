import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Api } from "./api.js";

/** A server with a list of so many numbers, which answers pages of it as Muster does: 30 unless asked for more. */
async function openList(length: number): Promise<{ api: Api; calls: string[] }> {
  const calls: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    calls.push(url);
    const { searchParams } = new URL(url, "http://list");
    const perPage = Math.min(1_000, Number(searchParams.get("per_page") ?? 30));
    const first = (Number(searchParams.get("page") ?? 1) - 1) * perPage;
    const page = Array.from({ length: Math.max(0, Math.min(perPage, length - first)) }, (_, index) => first + index);
    response.setHeader("content-type", "application/json").end(JSON.stringify(page));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { api: new Api({ url, token: "x", organizationHeader: "Svc-Organization", organization: undefined }), calls };
}

test.each([0, 1, 31, 1_000, 2_500])("a list of %i items is read to its end", async (length) => {
  const { api } = await openList(length);
  expect(await api.getAll("/numbers")).toEqual(Array.from({ length }, (_, index) => index));
});

test("a query string of the list stays", async () => {
  const { api, calls } = await openList(1);
  await api.getAll("/numbers?all=true");
  expect(calls).toEqual(["/api/v1/numbers?all=true&page=1&per_page=1000"]);
});
