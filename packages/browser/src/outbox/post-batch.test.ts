import { describe, expect, test } from "vitest";
import type { Answer } from "../request.js";
import { postBatch } from "./post-batch.js";

const batch = {
  key: "k",
  visitor: { bid: "browser", sid: "visit" },
  records: [{ id: "1", type: "track" as const, timestamp: "2026-01-01T00:00:00.000Z", body: { event: "Opened" } }],
};

/** Posts a batch to a server that gives these answers. */
async function post(answers: (Partial<Answer> | Error)[], given = batch) {
  const [sent, invalid]: [Record<string, unknown>[], string[]] = [[], []];
  const options = {
    url: "https://server.test",
    now: () => 0,
    onInvalidToken: (token: string) => void invalid.push(token),
    request: async (_method: string, _url: string, text = "") => {
      sent.push(JSON.parse(text));
      const answer = answers[sent.length - 1] ?? {};
      if (answer instanceof Error) throw answer;
      return { status: 200, retryAfterSeconds: undefined, body: {}, ...answer };
    },
  };
  return { verdict: await postBatch(options, given), sent, invalid };
}

describe("a batch", () => {
  test("tells which attributes of a record the server does not apply", async () => {
    const refused = ["a", "b"].map((name) => ({ index: 0, name, message: `No ${name}.` }));
    const { verdict } = await post([{ body: { rejected: [], refused_attributes: refused } }]);
    expect(verdict).toEqual({ kind: "taken", rejected: [{ index: 0, message: "No a. No b." }] });
  });

  test("says when it is sent, by the clock of the page", async () => {
    const { sent } = await post([{}]);
    expect(sent).toEqual([
      {
        bid: "browser",
        sid: "visit",
        timestamp: "1970-01-01T00:00:00.000Z",
        sentAt: "1970-01-01T00:00:00.000Z",
        batch: batch.records,
      },
    ]);
  });

  test.each([
    ["no answer", new Error("network"), { kind: "again" }],
    ["429 with a time", { status: 429, retryAfterSeconds: 7 }, { kind: "again", waitMs: 7_000, isFault: false }],
    ["503", { status: 503 }, { kind: "again", waitMs: undefined, isFault: false }],
    ["500", { status: 500 }, { kind: "again", waitMs: undefined, isFault: true }],
    [
      "400",
      { status: 400, body: { message: "no" } },
      { kind: "never", error: expect.objectContaining({ code: "refused", message: "no" }) },
    ],
    ["413", { status: 413 }, { kind: "never", error: expect.objectContaining({ code: "refused" }) }],
    ["401 without a token", { status: 401 }, { kind: "never", error: expect.objectContaining({ code: "refused" }) }],
    [
      "200",
      { body: { rejected: [{ index: 0, message: "no" }] } },
      { kind: "taken", rejected: [{ index: 0, message: "no" }] },
    ],
    ["200 of another server", { body: { rejected: "all" } }, { kind: "taken", rejected: [] }],
  ])("that is answered with %s", async (_name, answer, verdict) => {
    expect((await post([answer])).verdict).toEqual(verdict);
  });

  test.each([401, 403])("whose token is refused with %i is sent as that of the browser", async (status) => {
    const signedIn = { ...batch, visitor: { ...batch.visitor, accessToken: "old" } };
    const { verdict, sent, invalid } = await post([{ status }, {}], signedIn);
    expect(verdict).toEqual({ kind: "taken", rejected: [] });
    expect(sent.map(({ bid, access_token }) => [bid, access_token])).toEqual([
      ["browser", "old"],
      ["browser", undefined],
    ]);
    expect(invalid).toEqual(["old"]);
  });
});
