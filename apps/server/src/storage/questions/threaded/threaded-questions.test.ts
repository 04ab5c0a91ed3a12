import { MessageChannel, type MessagePort } from "node:worker_threads";
import { Refusal } from "@muster/protocol";
import { QueryError } from "@muster/query";
import { afterEach, expect, test, vi } from "vitest";
import { lacksRoom } from "../lacks-room.js";
import { QuestionTimeout } from "../question-timeout.js";
import type { Questions } from "../questions.js";
import { serveQuestions } from "./serve-questions.js";
import { threadedQuestions } from "./threaded-questions.js";

const ORGANIZATION = "000000010000000000000001";

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** Only the given methods are there. */
function connect(methods: Partial<Questions>): Questions {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  serveQuestions(port1, methods as Questions);
  return threadedQuestions(port2);
}

async function errorOf(thrown: unknown): Promise<unknown> {
  const questions = connect({
    async ping() {
      throw thrown;
    },
  });
  return questions.ping().then(
    () => undefined,
    (error: unknown) => error,
  );
}

function select() {
  const attributeTypes = { typeOf: () => undefined };
  return { target: "user" as const, query: { kind: "all" as const, path: "query" }, attributeTypes, now: new Date() };
}

test("errors arrive as what they were", async () => {
  const cause = Object.assign(new Error("Out of Memory Error: failed to pin block"), { code: "241" });
  const refusal = await errorOf(new Refusal("unavailable", "Not at present.", { retryAfter: 5, cause }));
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({ code: "unavailable", status: 503, retryAfter: 5, message: "Not at present." });
  expect(lacksRoom(refusal as Refusal)).toBe(true);
  expect((refusal as { cause: unknown }).cause).toMatchObject({ message: cause.message, code: "241" });

  const timeout = await errorOf(new QuestionTimeout(30));
  expect(timeout).toBeInstanceOf(QuestionTimeout);
  expect(timeout).toMatchObject({ message: "The question took longer than 30 seconds.", seconds: 30 });

  const query = await errorOf(new QueryError("query.term", "is wrong"));
  expect(query).toBeInstanceOf(QueryError);
  expect(query).toMatchObject({ path: "query.term", reason: "is wrong" });

  expect(await errorOf(new RangeError("too far"))).toMatchObject({ name: "RangeError", message: "too far" });
});

test("an answer that cannot cross is an error of the question, and the next question is answered", async () => {
  const versions = [() => {}, "DuckDB 1"];
  const questions = connect({ version: async () => versions.shift() as string });
  await expect(questions.version()).rejects.toThrow("could not be cloned");
  expect(await questions.version()).toBe("DuckDB 1");
});

test("an abort reaches the engine, and the asker gets the reason of the signal", async () => {
  let isAsked = false;
  const questions = connect({
    count: (_organizationId, _selection, options) =>
      new Promise((_, reject) => {
        const signal = options?.signal;
        if (!signal) throw new Error("The signal is missing.");
        isAsked = true;
        signal.addEventListener("abort", () => reject(new Error("interrupted")));
      }),
  });
  const aborting = new AbortController();
  const counting = questions.count(ORGANIZATION, select(), { signal: aborting.signal });
  await vi.waitFor(() => expect(isAsked).toBe(true));
  aborting.abort(new Error("The client is gone."));
  await expect(counting).rejects.toThrow("The client is gone.");
});

test("questions that wait are refused when the port is closed", async () => {
  const questions = connect({ ping: () => new Promise(() => {}) });
  const waiting = questions.ping();
  for (const port of ports) port.close();
  await expect(waiting).rejects.toThrow("The question engine is closed.");
});
