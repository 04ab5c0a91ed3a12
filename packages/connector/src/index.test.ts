import { expect, it } from "vitest";
import * as surface from "./index.js";
import * as kit from "./testing/index.js";

it("exports these names and no others", () => {
  expect(Object.keys(surface).sort()).toEqual([
    "ClientError",
    "ConfigurationError",
    "Connector",
    "LogicError",
    "MemoryQueue",
    "RateLimitError",
    "ReconciliationError",
    "Reply",
    "TransientError",
    "View",
    "bullmqQueue",
    "createHttp",
    "errorPlugin",
    "instrumentationPlugin",
    "prometheusMetrics",
    "readSetting",
    "reply",
    "serve",
    "standardEventsOf",
    "statsdMetrics",
    "urlTemplatePlugin",
    "view",
  ]);
});

it("exports these names of the test kit and no others", () => {
  expect(Object.keys(kit).sort()).toEqual([
    "accountMessage",
    "callConnector",
    "runConnector",
    "segmentRecord",
    "startFakePlatform",
    "userMessage",
  ]);
});

it("has errors of which all but LogicError are TransientErrors", () => {
  const { TransientError, ConfigurationError, RateLimitError, ReconciliationError, LogicError } = surface;
  const clearsAt = new Date();
  const cause = new Error("why");
  expect(new TransientError("a", { cause, attempt: 2 })).toMatchObject({ cause, extra: { attempt: 2 }, status: 503 });
  expect(new ConfigurationError("a")).toBeInstanceOf(TransientError);
  expect(new ReconciliationError("a")).toBeInstanceOf(TransientError);
  expect(new RateLimitError("a", { clearsAt })).toMatchObject({
    clearsAt,
    code: "ERR_RATE_LIMIT",
    name: "RateLimitError",
  });
  expect(new LogicError("a", "list.add", 7)).toMatchObject({ action: "list.add", payload: 7 });
  expect(new LogicError("a", "list.add")).not.toBeInstanceOf(TransientError);
});
