import type { AnyObject, ObjectChange } from "@muster/protocol/api/objects";
import type { Paths } from "@muster/protocol/api/paths";
import createClient, { type Middleware } from "openapi-fetch";
import { ApiError } from "./api-error.js";
import { takeEarly } from "./early-answers.js";
import { BRAND } from "./page-values.js";

/** Which organization calls are for, and the token that shows that a change comes from our page. */
export const callContext = { organization: "", csrfToken: "" };

const sendContext: Middleware = {
  onRequest({ request }) {
    if (callContext.organization) request.headers.set(`${BRAND}-Organization`, callContext.organization);
    if (callContext.csrfToken && request.method !== "GET") request.headers.set("X-CSRF-Token", callContext.csrfToken);
    return request;
  },
};

const client = createClient<Paths>({
  baseUrl: "/",
  credentials: "same-origin",
  fetch: async (request) => (await takeEarly(request)) ?? fetch(request),
});
client.use(sendContext);

/**
 * The calls of the API, typed by its contracts.
 * @example const segments = await answer(api.GET("/api/v1/segments", { signal }))
 */
export const api = client;

/** The body of a successful answer. Other answers are thrown as an `ApiError`. */
export async function answer<Data>(call: Promise<{ data?: Data; error?: unknown; response: Response }>): Promise<Data> {
  const { data, error, response } = await call;
  if (!response.ok) throw new ApiError(response.status, error);
  return data as Data;
}

/** The object with an id. The id has the type of the object in it, so the caller knows which one it gets. */
export async function readObject<Kind extends AnyObject>(id: string, signal: AbortSignal): Promise<Kind> {
  return (await answer(api.GET("/api/v1/{id}", { params: { path: { id } }, signal }))) as Kind;
}

/** Changes an object. The answer is the object after the change. */
export async function changeObject<Kind extends AnyObject>(id: string, change: ObjectChange): Promise<Kind> {
  return (await answer(api.PUT("/api/v1/{id}", { params: { path: { id } }, body: change }))) as Kind;
}

/** Like `answer`, with the header that tells how far the data may be behind. */
export async function answerWithHeaders<Data>(
  call: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<{ data: Data; headers: Headers }> {
  const { data, error, response } = await call;
  if (!response.ok) throw new ApiError(response.status, error);
  return { data: data as Data, headers: response.headers };
}

/** A call of a path that the document does not describe, such as a file to upload. */
export async function send(path: string, init: RequestInit & { method: string }): Promise<Response> {
  const headers = new Headers(init.headers);
  if (callContext.organization) headers.set(`${BRAND}-Organization`, callContext.organization);
  if (callContext.csrfToken) headers.set("X-CSRF-Token", callContext.csrfToken);
  const response = await fetch(path, { ...init, headers, credentials: "same-origin" });
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => undefined));
  return response;
}
