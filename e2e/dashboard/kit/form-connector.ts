import { json } from "node:stream/consumers";
import { startWebServer } from "../../../testing/start-web-server.js";

/** A call of a form that a connector received. */
export interface FormCall {
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
}

/** An image of one pixel. */
export const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export type FormAnswer = Buffer | object | string | { status: number; body: object };

/** The app of a connector with a settings form: it serves a manifest and answers the calls that the form makes. */
export interface FormConnector {
  url: string;
  calls: FormCall[];
  close(): Promise<void>;
}

export async function startFormConnector(
  manifest: object,
  answers: Readonly<Record<string, (call: FormCall) => FormAnswer | Promise<FormAnswer>>>,
): Promise<FormConnector> {
  const calls: FormCall[] = [];
  const server = await startWebServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://connector");
    if (pathname === "/manifest.json") {
      response.end(JSON.stringify(manifest));
      return;
    }
    const body = request.method === "POST" ? await json(request).catch(() => ({})) : {};
    const call = { path: pathname, query: searchParams, body: body as Record<string, unknown> };
    calls.push(call);
    const answer = await answers[pathname]?.(call);
    if (answer === undefined) response.writeHead(404).end();
    // The content decides what it is, not this header.
    else if (answer instanceof Buffer) response.writeHead(200, { "content-type": "text/plain" }).end(answer);
    else if (typeof answer === "string") {
      const type = answer.startsWith("<") ? "text/html" : "text/markdown";
      response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(answer);
    } else {
      const { status, body: content } =
        "status" in answer && "body" in answer
          ? (answer as { status: number; body: object })
          : { status: 200, body: answer };
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content));
    }
  });
  return { url: server.url, calls, close: () => server.close() };
}
