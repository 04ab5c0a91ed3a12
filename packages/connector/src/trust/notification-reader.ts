import type { Brand, SegmentRecord } from "@muster/protocol";
import { isObject, parseJson } from "@muster/protocol";
import type { Request } from "express";
import { RequestError } from "../errors/request-error.js";
import { type Credentials, credentialsFromNotification } from "./credentials.js";
import { PublicKeys } from "./public-keys.js";
import type { TrustedOrganizations } from "./trusted-organizations.js";
import { UsedSignatures } from "./used-signatures.js";
import { verifySignature } from "./verify-signature.js";

/** A notification with a verified signature. */
export interface SmartNotification {
  id: string;
  channel: string;
  isExport: boolean;
  credentials: Credentials;
  connector: unknown;
  segments: SegmentRecord[];
  accountsSegments: SegmentRecord[];
  /** Whether the lists have only some of the segments. */
  isPartial: boolean;
  messages: Record<string, unknown>[];
  /** The whole body, as it was sent. */
  body: Record<string, unknown>;
}

/** A single notification. It has no signature; the credentials are in the query. */
export interface PlainNotification {
  channel: string;
  message: Record<string, unknown>;
}

export interface NotificationReaderOptions {
  brand: Brand;
  organizations: TrustedOrganizations;
  skipSignatureValidation: boolean;
}

/** Recognises notifications, checks their signature, and reads them. */
export class NotificationReader {
  readonly #options: NotificationReaderOptions;
  readonly #keys = new PublicKeys();
  readonly #used = new UsedSignatures();

  constructor(options: NotificationReaderOptions) {
    this.#options = options;
  }

  isSmart(request: Request): boolean {
    return request.get(this.#options.brand.headers.smartNotifier) !== undefined;
  }

  async readSmart(request: Request): Promise<SmartNotification> {
    const raw = rawBody(request);
    const body = parseJson(raw.toString("utf8"));
    if (!isObject(body)) throw new RequestError(400, "missing_notification", "The body is not a notification.");
    const credentials = credentialsFromNotification(body);
    if (!credentials) {
      throw new RequestError(400, "missing_configuration", "The notification has no usable `configuration`.");
    }
    this.#options.organizations.require(credentials.organization);
    if (!this.#options.skipSignatureValidation) await this.#verify(request, credentials, body.notification_id, raw);
    return {
      id: String(body.notification_id ?? ""),
      channel: String(body.channel ?? ""),
      isExport: body.is_export === true,
      credentials,
      connector: body.connector,
      // Muster signed these records, so their shape is trusted.
      segments: listOf(body.segments) as unknown as SegmentRecord[],
      accountsSegments: listOf(body.accounts_segments) as unknown as SegmentRecord[],
      isPartial: body.partial_segments === true,
      messages: listOf(body.messages),
      body,
    };
  }

  async #verify(request: Request, { organization }: Credentials, notificationId: unknown, body: Buffer): Promise<void> {
    const { signature, signatureVersion, signaturePublicKeyUrl } = this.#options.brand.headers;
    const token = request.get(signature);
    const keyUrl = request.get(signaturePublicKeyUrl);
    const version = request.get(signatureVersion);
    if (version !== "v1") {
      throw new RequestError(400, "unsupported_signature_version", "The signature's version is not v1.");
    }
    if (token === undefined || keyUrl === undefined) {
      throw new RequestError(
        400,
        "missing_signature_headers",
        `The headers ${signature} and ${signaturePublicKeyUrl} are needed.`,
      );
    }
    const url = this.#options.organizations.locate(keyUrl, organization);
    if (url === undefined) {
      throw new RequestError(401, "invalid_signature", `The key at ${keyUrl} does not belong to ${organization}.`);
    }
    const now = Date.now();
    await verifySignature(token, await this.#keys.get(url), { notificationId, body }, now);
    this.#used.take(`${organization} ${notificationId}`, now);
  }
}

// Single notifications use another name for some channels.
const CHANNEL_NAMES: Record<string, string> = {
  "user_report:update": "user:update",
  "user_report:delete": "user:delete",
  "account_report:update": "account:update",
  "account_report:delete": "account:delete",
};

/** Reads a single notification; undefined when the body is not one. */
export function readPlainNotification(body: unknown): PlainNotification | undefined {
  if (!isObject(body) || body.Type !== "Notification" || typeof body.Subject !== "string") return undefined;
  const message = typeof body.Message === "string" ? parseJson(body.Message) : body.Message;
  if (!isObject(message)) {
    throw new RequestError(400, "missing_notification", "The notification's `Message` is not a JSON object.");
  }
  return { channel: CHANNEL_NAMES[body.Subject] ?? body.Subject, message };
}

/** The bytes of the body as they were sent; the signature was made from them. */
export function rawBody(request: Request): Buffer {
  const body: unknown = request.body;
  if (Buffer.isBuffer(body)) return body;
  // Express leaves an empty object where there was no body.
  if (body === undefined || (isObject(body) && Object.keys(body).length === 0)) return Buffer.alloc(0);
  throw new Error(
    "The body was parsed before the notification was read: mount body parsers after the connector's handlers.",
  );
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
