import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";

/** The keys of a connector. Apps have a page key. */
export interface Keys {
  server: string;
  page: string;
}

/**
 * What the library of a language sends for the block of the guide. It was written by hand from the library's public source and
 * not recorded from the library, so it stands for no version of it.
 */
export interface WireForm {
  /** The name of the block in the guide. */
  language: string;
  /** The repository of the library. */
  source: string;
  /** What it calls itself in `context.library`, with a version that does not exist. */
  library: { name: string; version: string };
  path: string;
  isByApp: boolean;
  headers: Record<string, string>;
  /** Whether the body is sent compressed, in chunks. */
  isCompressed?: boolean;
  /** The body. The key is in it where the library sends it there. */
  body(key: string, library: WireForm["library"]): object;
}

/** The app of the guide, which the page key names. */
export const APP = "com.example.shop";
export const VISITOR = "1c9c7b6e-4f0e-4a0e-9d0b-5a0f3d1f7c11";

const JSON_TYPE = { "content-type": "application/json" };
const now = () => new Date().toISOString();
const said = { type: "track", event: "Order completed", properties: { total: 120 } };

export const WIRE_FORMS: readonly WireForm[] = [
  {
    language: "python",
    source: "segmentio/analytics-python",
    library: { name: "analytics-python", version: "0.0.0" },
    path: "/v1/batch",
    isByApp: false,
    headers: { ...JSON_TYPE, "user-agent": "analytics-python/0.0.0" },
    body: (key, library) => ({
      batch: [
        {
          integrations: {},
          anonymousId: null,
          ...said,
          timestamp: pythonTime(3),
          context: { library },
          userId: "u-42",
          messageId: crypto.randomUUID(),
        },
      ],
      sentAt: pythonTime(6),
      writeKey: key,
    }),
  },
  {
    language: "go",
    source: "segmentio/analytics-go",
    library: { name: "analytics-go", version: "0.0.0" },
    path: "/v1/batch",
    isByApp: false,
    headers: { ...JSON_TYPE, "user-agent": "analytics-go (version: 0.0.0)" },
    body: (_key, library) => ({
      messageId: crypto.randomUUID(),
      // Nanoseconds.
      sentAt: now().replace("Z", "123456Z"),
      batch: [{ ...said, userId: "u-42", messageId: crypto.randomUUID(), timestamp: now().replace("Z", "123456Z") }],
      context: { library },
    }),
  },
  {
    language: "php",
    source: "segmentio/analytics-php",
    library: { name: "analytics-php", version: "0.0.0" },
    path: "/v1/batch",
    isByApp: false,
    headers: { ...JSON_TYPE, "user-agent": "analytics-php/0.0.0" },
    body: (_key, library) => ({
      batch: [
        {
          userId: "u-42",
          ...said,
          context: { library: { ...library, consumer: "LibCurl" } },
          timestamp: now().replace(/\.\d+Z$/, "+00:00"),
          messageId: crypto.randomUUID(),
        },
      ],
      sentAt: now().replace(/\.\d+Z$/, "+00:00"),
    }),
  },
  {
    language: "ruby",
    source: "segmentio/analytics-ruby",
    library: { name: "analytics-ruby", version: "0.0.0" },
    path: "/v1/import",
    isByApp: false,
    headers: { ...JSON_TYPE, accept: "application/json", "user-agent": "analytics-ruby/0.0.0" },
    body: (_key, library) => ({
      sentAt: now(),
      batch: [
        {
          anonymousId: null,
          context: { library },
          integrations: null,
          messageId: crypto.randomUUID(),
          timestamp: now(),
          userId: "u-42",
          options: null,
          ...said,
        },
      ],
    }),
  },
  {
    language: "java",
    source: "segmentio/analytics-java",
    library: { name: "analytics-java", version: "0.0.0" },
    path: "/v1/import",
    isByApp: false,
    headers: { "content-type": "application/json; charset=UTF-8", "user-agent": "analytics-java/0.0.0" },
    body: (_key, library) => ({
      batch: [{ ...said, userId: "u-42", messageId: crypto.randomUUID(), timestamp: now() }],
      sentAt: now(),
      context: { library },
      sequence: 1,
    }),
  },
  {
    language: "swift",
    source: "segmentio/analytics-swift",
    library: { name: "analytics-swift", version: "0.0.0" },
    path: "/v1/b",
    isByApp: true,
    headers: { "content-type": "application/json; charset=utf-8", "user-agent": "analytics-ios/0.0.0" },
    body: (key, library) =>
      mobileBatch(key, {
        library,
        device: { manufacturer: "Apple", type: "ios", model: "iPhone16,1", name: "iPhone", id: VISITOR },
        os: { name: "iOS", version: "26.1" },
        network: { cellular: false, wifi: true, bluetooth: false },
      }),
  },
  {
    language: "kotlin",
    source: "segmentio/analytics-kotlin",
    library: { name: "analytics-kotlin", version: "0.0.0" },
    path: "/v1/b",
    isByApp: true,
    headers: { "content-type": "text/plain", "content-encoding": "gzip", "user-agent": "analytics-kotlin/0.0.0" },
    isCompressed: true,
    body: (key, library) =>
      mobileBatch(key, {
        library,
        device: { manufacturer: "Google", type: "android", model: "Pixel 9", name: "tokay", id: VISITOR },
        os: { name: "Android", version: "16" },
        network: { cellular: true, wifi: false, bluetooth: false },
      }),
  },
];

/** Sends what a library would send. */
export function sendWireForm(
  { path, headers, library, isByApp, isCompressed, body }: WireForm,
  url: string,
  keys: Keys,
) {
  const key = isByApp ? keys.page : keys.server;
  const text = JSON.stringify(body(key, library));
  return fetch(`${url}${path}`, {
    method: "POST",
    headers: { ...headers, ...(isByApp ? {} : { authorization: `Basic ${btoa(`${key}:`)}` }) },
    body: isCompressed ? Readable.toWeb(Readable.from([gzipSync(text)])) : text,
    ...(isCompressed ? { duplex: "half" } : {}),
  } as RequestInit);
}

/** Mobile libraries write calls to a file, and send files. They send the key in the body alone. */
function mobileBatch(key: string, context: object): object {
  const common = {
    anonymousId: VISITOR,
    integrations: {},
    context: {
      app: { name: "Shop", version: "2.1", build: "7", namespace: APP },
      screen: { width: 393, height: 852, density: 3 },
      locale: "en-GB",
      timezone: "Europe/London",
      ...context,
    },
    _metadata: { bundled: [], unbundled: [], bundledIds: [] },
  };
  const calls = [
    { type: "track", event: "Application Opened", properties: { from_background: false, version: "2.1" } },
    { type: "screen", name: "Main", properties: {} },
    said,
  ];
  const startedAt = Date.now() - calls.length * 1_000;
  return {
    batch: calls.map((call, index) => ({
      ...call,
      messageId: crypto.randomUUID(),
      timestamp: new Date(startedAt + index * 1_000).toISOString(),
      ...common,
    })),
    sentAt: now(),
    writeKey: key,
  };
}

/** Python writes the offset of the zone, and more digits of the seconds. */
function pythonTime(digits: number): string {
  return now().replace(/(\.\d{3})Z$/, `$1${"0".repeat(digits - 3)}+00:00`);
}
