import express, { type Request, type RequestHandler, type Response } from "express";
import { RequestError } from "../errors/request-error.js";

const BODY_LIMIT = "10mb";
/** Smaller bodies have few values, whatever they hold. */
const SMALL_BYTES = 1024 * 1024;
/** A value costs more than its bytes: ten megabytes of empty objects take hundreds of megabytes of memory. */
const MAX_VALUES = 500_000;

/** The options of a handler that say how its body is read. */
interface BodyOptions {
  bodyParser?: "urlencoded" | "json" | undefined;
  credentialsFromNotification?: boolean | undefined;
}

/** Makes a function that reads the body of a request into `request.body`. */
export function bodyReader(options: BodyOptions): (request: Request, response: Response) => Promise<void> {
  const parsers = parsersFor(options);
  return async (request, response) => {
    for (const parse of parsers) {
      await new Promise<void>((resolve, reject) => {
        void parse(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
      });
    }
  };
}

function parsersFor({ bodyParser, credentialsFromNotification }: BodyOptions): RequestHandler[] {
  const any = () => true;
  // The signature was made from the bytes as they were sent, and it is checked after they are read.
  if (credentialsFromNotification) return [express.raw({ type: any, limit: BODY_LIMIT, inflate: false })];
  const json = { limit: BODY_LIMIT, verify: requireFewValues };
  if (bodyParser === "json") return [express.json({ ...json, type: any })];
  if (bodyParser === "urlencoded") return [express.urlencoded({ type: any, extended: true, limit: BODY_LIMIT })];
  return [
    express.json({ ...json, type: ["json", "+json"] }),
    express.urlencoded({ extended: true, limit: BODY_LIMIT }),
    express.text({ type: "text/*", limit: BODY_LIMIT }),
  ];
}

/** Refuses JSON of so many values that parsing it could end the process. */
function requireFewValues(_request: unknown, _response: unknown, body: Buffer, encoding: string): void {
  if (body.length <= SMALL_BYTES) return;
  if (encoding !== "utf-8") throw new RequestError(415, "unsupported_charset", "A large body must be in UTF-8.");
  if (countValues(body) <= MAX_VALUES) return;
  throw new RequestError(413, "too_many_values", `A body holds at most ${MAX_VALUES} values.`);
}

/** How many values JSON has, or a few more: each follows a comma, or the beginning of a list or an object. */
function countValues(json: Buffer): number {
  let count = 1;
  let isInText = false;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index];
    if (isInText) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) isInText = false;
    } else if (byte === QUOTE) isInText = true;
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) count += 1;
  }
  return count;
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{');
