import { isObject, parseJson, reasonOf, type SubjectType } from "@muster/protocol";
import express, { type ErrorRequestHandler, type NextFunction, type Request, type Response, Router } from "express";
import { answerError, describeError, reportError } from "../app/answer-error.js";
import type { Context } from "../context/context.js";
import type { ContextFactory } from "../context/context-factory.js";
import { originOf, type RequestContexts } from "../context/request-contexts.js";
import { RequestError } from "../errors/request-error.js";
import { isExtractBody } from "../helpers/handle-extract.js";
import {
  type NotificationReader,
  type PlainNotification,
  rawBody,
  readPlainNotification,
} from "../trust/notification-reader.js";
import { Chunks } from "./chunks.js";
import { extractMessages } from "./extract-messages.js";
import type { ExtractCall, Extracts } from "./extracts.js";
import { nextFlow, retryAfterSeconds, retryFlow } from "./flow-control.js";
import type { ChannelHandler, NotificationOptions } from "./notification-options.js";
import { prepareMessages } from "./prepare-messages.js";

export interface NotificationHandlerParts {
  contexts: RequestContexts;
  factory: ContextFactory;
  reader: NotificationReader;
  extracts: Extracts;
}

export type ChannelHandlers = ReadonlyMap<string, ChannelHandler>;

const BODY_LIMIT = "20mb";
const DEFAULT_MAX_SIZE = 100;
const DEFAULT_MAX_TIME_MS = 500;
// A person chose the content of an export, and of an extract that the connector did not ask for. No filter applies.
const UNFILTERED: NotificationOptions = { filter: {}, segmentFilterSetting: undefined };
const FROM_QUERY = { fromQuery: true, fromNotification: false, fromPage: false };

/**
 * The route of a subscription or batch endpoint: receives signed batches, single notifications, and files of extracts.
 * With a path that is known beforehand, extracts can wait in a queue.
 */
export function notificationHandler(parts: NotificationHandlerParts, handlers: ChannelHandlers, path?: string): Router {
  const endpoint = new NotificationEndpoint(parts, handlers);
  if (path !== undefined) parts.extracts.register(path, (ctx, call) => endpoint.handleExtract(ctx, call));
  const router = Router();
  router.post(
    "/",
    (request: Request, response: Response, next: NextFunction) => endpoint.admit(request, response, next),
    // Muster compresses no body. A small body that becomes a large one would be read before its signature is checked.
    express.raw({ type: () => true, limit: BODY_LIMIT, inflate: false }),
    (request: Request, response: Response, next: NextFunction) => endpoint.answer(request, response, next),
    answerTooLarge,
  );
  return router;
}

/** Answers a body that is too large by asking for one message at a time. */
const answerTooLarge: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (!isObject(error) || error.type !== "entity.too.large") return next(error);
  response.status(413).json({ flow_control: { type: "retry", size: 1 }, errors: [], metrics: [] });
};

class NotificationEndpoint {
  readonly #parts: NotificationHandlerParts;
  readonly #handlers: ChannelHandlers;
  readonly #chunks = new Map<string, Chunks>();
  /** The contexts of requests whose credentials are in the query. */
  readonly #admitted = new WeakMap<Request, Context>();

  constructor(parts: NotificationHandlerParts, handlers: ChannelHandlers) {
    this.#parts = parts;
    this.#handlers = handlers;
  }

  /** Checks credentials in the query before anything of the body is read. Those of signed notifications are in the body. */
  async admit(request: Request, response: Response, next: NextFunction): Promise<void> {
    try {
      if (!this.#parts.reader.isSmart(request)) {
        this.#admitted.set(request, await this.#parts.contexts.open(request, FROM_QUERY));
      }
    } catch (error) {
      answerError(response, error);
      return;
    }
    next();
  }

  async answer(request: Request, response: Response, next: NextFunction): Promise<void> {
    try {
      if (this.#parts.reader.isSmart(request)) return await this.#answerSmart(request, response, next);
      const body = parseJson(rawBody(request).toString("utf8"));
      const ctx = this.#admitted.get(request);
      const notification = readPlainNotification(body);
      if (ctx && notification) return await this.#answerPlain(ctx, notification, request, response, next);
      if (isExtractBody(body)) return await this.#answerExtract(body, request, response, next);
      throw new RequestError(400, "missing_notification", "The body is neither a notification nor an extract.");
    } catch (error) {
      answerError(response, error);
    }
  }

  async #answerSmart(request: Request, response: Response, next: NextFunction): Promise<void> {
    const notification = await this.#parts.reader.readSmart(request);
    const { id, channel, credentials, messages, isExport } = notification;
    const ctx = await this.#parts.factory.createForCall(credentials, {
      requestId: id,
      origin: originOf(request),
      isBatch: isExport,
      records: notification,
    });
    await this.#parts.factory.refreshCache(credentials, channel, ctx);
    const options = this.#handlers.get(channel)?.options ?? {};
    try {
      await this.#handle(ctx, channel, messages, isExport ? UNFILTERED : {});
      if (!response.headersSent) response.json(ctx.smartNotifierResponse.toAnswer(nextFlow(options)));
    } catch (error) {
      reportError(ctx, error, request.baseUrl);
      if (options.disableErrorHandling) return next(error);
      if (response.headersSent) return;
      const { status, body } = describeError(error, true);
      const answer = ctx.smartNotifierResponse.addError(body.code, reasonOf(error));
      // A flow control that the handler set before it failed was meant for a success, so it is replaced.
      response
        .status(status)
        .json({ ...answer.toAnswer(nextFlow(options)), flow_control: retryFlow(error, Date.now()) });
    }
  }

  async #answerPlain(
    ctx: Context,
    { channel, message }: PlainNotification,
    request: Request,
    response: Response,
    next: NextFunction,
  ): Promise<void> {
    const { id, organization, secret } = ctx.client.configuration();
    if (channel === "ship:update") ctx.connector = { ...ctx.connector, ...message };
    await this.#parts.factory.refreshCache({ id, organization, secret }, channel, ctx);
    const options = this.#handlers.get(channel)?.options ?? {};
    try {
      const key = JSON.stringify([organization, id, secret]);
      const handled = await this.#chunksOf(channel, options).add(key, ctx, message);
      const result = handled.smartNotifierResponse.resultOf(message.message_id);
      if (!response.headersSent) response.json({ ok: true, ...(result ? { results: [result] } : {}) });
    } catch (error) {
      reportError(ctx, error, request.baseUrl);
      if (options.disableErrorHandling) return next(error);
      const seconds = retryAfterSeconds(error, Date.now());
      if (seconds !== undefined && !response.headersSent) response.set("retry-after", String(seconds));
      answerError(response, error);
    }
  }

  /** Reads the file of an extract and gives its records to the handler of their channel. */
  async handleExtract(ctx: Context, { body, segmentId, isRequested }: ExtractCall): Promise<void> {
    const subjectType = subjectTypeOf(body);
    const channel = this.#extractChannel(body);
    const options = this.#handlers.get(channel)?.options ?? {};
    const overrides = isRequested ? {} : UNFILTERED;
    await ctx.helpers.handleExtract({
      body,
      batchSize: chunkSize(options),
      handler: (records) =>
        this.#handle(ctx, channel, extractMessages(ctx, subjectType, records, segmentId), overrides),
    });
    ctx.client.logger.debug("connector.batch.success", { kind: subjectType });
  }

  /** Answers only when the call may be acknowledged, because Muster then forgets the extract. */
  async #answerExtract(body: unknown, request: Request, response: Response, next: NextFunction): Promise<void> {
    const ctx = await this.#parts.contexts.open(request, FROM_QUERY, { isBatch: true });
    const { segment_id: segmentId, source } = request.query;
    const call = {
      body,
      segmentId: typeof segmentId === "string" ? segmentId : undefined,
      isRequested: source === "connector",
    };
    try {
      await this.#parts.extracts.accept(request.baseUrl, ctx, call, (...given) => this.handleExtract(...given));
      if (!response.headersSent) response.json({ ok: true });
    } catch (error) {
      reportError(ctx, error, request.baseUrl);
      if (this.#handlers.get(this.#extractChannel(body))?.options.disableErrorHandling) next(error);
      else answerError(response, error);
    }
  }

  /** The channel whose handler gets the records of an extract. */
  #extractChannel(body: unknown): string {
    const subjectType = subjectTypeOf(body);
    return this.#handlers.has(`${subjectType}:extract`) ? `${subjectType}:extract` : `${subjectType}:update`;
  }

  /** Calls the channel's handler with at most `maxSize` messages at a time. Messages of a channel without one are ignored. */
  async #handle(
    ctx: Context,
    channel: string,
    messages: readonly Record<string, unknown>[],
    overrides: NotificationOptions = {},
  ): Promise<void> {
    const found = this.#handlers.get(channel);
    if (!found) return;
    const options = { ...found.options, ...overrides };
    const size = chunkSize(options);
    const prepared = prepareMessages(ctx, filteredChannel(channel), messages, options);
    for (let start = 0; start < prepared.length; start += size) {
      // The channel determines the type of its messages, and the handler was given for that channel.
      await found.handler(ctx, prepared.slice(start, start + size) as never[]);
    }
  }

  #chunksOf(
    channel: string,
    { maxSize = DEFAULT_MAX_SIZE, maxTime = DEFAULT_MAX_TIME_MS }: NotificationOptions,
  ): Chunks {
    const chunks =
      this.#chunks.get(channel) ??
      new Chunks({ maxSize, maxTimeMs: maxTime }, (ctx, messages) => this.#handle(ctx, channel, messages));
    this.#chunks.set(channel, chunks);
    return chunks;
  }
}

/** Manifests also give sizes that are no whole numbers, or 0. */
function chunkSize({ maxSize = DEFAULT_MAX_SIZE }: NotificationOptions): number {
  const size = Math.floor(Number(maxSize));
  return size >= 1 ? size : 1;
}

function subjectTypeOf(body: unknown): SubjectType {
  return isObject(body) && body.object_type === "account_report" ? "account" : "user";
}

/** Messages of an extract are filtered like those of updates. */
function filteredChannel(channel: string): string {
  return channel.replace(/:extract$/, ":update");
}
