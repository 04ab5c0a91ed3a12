import { userMessage } from "@muster/connector/testing";
import type { UserUpdateMessage } from "@muster/protocol";
import { describe, expect, test } from "vitest";
import { jsonOf } from "../testing/recorder.js";
import { OTHER_SEGMENT, SEGMENT } from "../testing/sample-events.js";
import { mappingFor, setUpDestination } from "../testing/set-up-destination.js";

const HOOK = "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX";

function entered(id: string, email = `${id}@example.com`): UserUpdateMessage {
  return userMessage({
    message_id: `message-${id}`,
    user: { id, external_id: id, email, name: "Ada" },
    segments: [SEGMENT, OTHER_SEGMENT],
    changes: { segments: { entered: [SEGMENT, OTHER_SEGMENT], left: [] } },
  });
}

interface NotificationBody {
  flow_control: { type: string; at?: number; in?: number; until?: string };
  results?: { message_id: string; result: string; status?: number; body?: string; reason?: string }[];
}

function resultsOf(body: unknown): Record<string, string> {
  const { results = [] } = body as NotificationBody;
  return Object.fromEntries(results.map(({ message_id, result }) => [message_id.replace("message-", ""), result]));
}

describe("Slack", () => {
  const slack = setUpDestination("slack", {
    mappings: [
      mappingFor("slack", "postToChannel", 'event = "Audience Entered"', {
        url: HOOK,
        text: { "@template": "{{traits.email}} entered {{properties.audience_name}}" },
      }),
    ],
  });
  const notify = async (...messages: UserUpdateMessage[]) =>
    (await slack.notify("user:update", ...messages)).body as NotificationBody;

  test("is told when a user enters a segment that was chosen, and no other", async () => {
    const body = await notify(entered("u1"));
    expect(body).toMatchObject({ flow_control: { type: "next" }, results: [{ result: "accepted", status: 200 }] });
    expect(slack.recorder.requests).toHaveLength(1);
    expect(slack.recorder.requests[0]).toMatchObject({ method: "POST", url: HOOK });
    expect(jsonOf(slack.recorder.requests[0]!)).toMatchObject({ text: "u1@example.com entered VIP customers" });
  });

  test("is not told of a change that triggers no mapping", async () => {
    const body = await notify(
      userMessage({ segments: [SEGMENT], changes: { user: { email: [null, "ada@example.com"] } } }),
    );
    expect(resultsOf(body)).toEqual({ 1: "skipped" });
    expect(slack.recorder.requests).toEqual([]);
  });

  test("that limits calls gets the messages again when it said, without those that it took", async () => {
    let isLimited = true;
    slack.recorder.answer(({ body }) =>
      body.includes("limited@") && isLimited ? { status: 429, headers: { "retry-after": "30" } } : undefined,
    );
    const before = Date.now() / 1_000;
    const messages = [entered("taken"), entered("limited")];
    const { flow_control, results } = await notify(...messages);
    expect(flow_control.type).toBe("retry");
    const wait = flow_control.at === undefined ? (flow_control.in ?? 0) / 1_000 : flow_control.at - before;
    expect(wait).toBeGreaterThan(25);
    expect(resultsOf({ results })).toEqual({ taken: "accepted", limited: "retried" });
    isLimited = false;
    expect(resultsOf(await notify(...messages))).toEqual({ taken: "accepted", limited: "accepted" });
    expect(slack.recorder.requests.filter(({ body }) => body.includes("taken@"))).toHaveLength(1);
  });

  test("that is out of order gets the messages again", async () => {
    slack.recorder.answer(() => ({ status: 503, body: "no_service" }));
    const { flow_control, results } = await notify(entered("u3"));
    expect(flow_control.type).toBe("retry");
    expect(results).toMatchObject([{ result: "retried", status: 503, body: expect.stringContaining("no_service") }]);
  });

  test("that takes all but one user refuses this one alone, and the request and the answer are shown", async () => {
    slack.recorder.answer(({ body }) =>
      body.includes("poison@") ? { status: 400, body: "invalid_payload" } : undefined,
    );
    const body = await notify(entered("a"), entered("poison"), entered("b"));
    expect(body.flow_control.type).toBe("next");
    expect(resultsOf(body)).toEqual({ a: "accepted", poison: "refused", b: "accepted" });
    const refused = body.results?.find(({ result }) => result === "refused");
    expect(refused?.status).toBe(400);
    expect(refused?.body).not.toContain("XXXXXXXX");
    expect(refused?.body).toMatch(
      /^POST https:\/\/hooks\.slack\.com[\s\S]*poison@example\.com[\s\S]*400 invalid_payload$/,
    );
  });

  test("that refuses the credentials stops everything until the settings change, and the status says so", async () => {
    slack.platform.willAnswer("PUT /app/status", {});
    slack.recorder.answer(() => ({ status: 401, body: "invalid_auth" }));
    const { flow_control } = await notify(entered("u4"));
    expect(flow_control).toMatchObject({ type: "retry", until: "ship:update" });
    const status = slack.platform.calls.find(({ path }) => path === "/app/status");
    expect(status?.body).toMatchObject({ status: "error" });
  });
});

describe("the status", () => {
  const webhook = setUpDestination("webhook", {});

  test("warns of what is not chosen yet and of mappings that do not fit any more", async () => {
    const stale = { ...mappingFor("webhook", "send", 'type = "track"'), fields: { url: "https://a.example", gone: 1 } };
    const { status, messages } = (await webhook.statusWith({ segments: [], mappings: [stale] })) as {
      status: string;
      messages: string[];
    };
    expect(status).toBe("warning");
    expect(messages).toContainEqual("No segment is chosen, so nobody is sent.");
    expect(messages).toContainEqual(expect.stringContaining('"gone"'));
  });

  test("is ok when users are chosen and a mapping is switched on", async () => {
    const mapping = mappingFor("webhook", "send", 'type = "track"', { url: "https://a.example", method: "POST" });
    expect(await webhook.statusWith({ segments: ["ALL"], mappings: [mapping] })).toEqual({
      status: "ok",
      messages: [],
    });
  });
});
