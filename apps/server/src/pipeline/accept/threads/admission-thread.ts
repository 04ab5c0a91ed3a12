import { parentPort, workerData } from "node:worker_threads";
import { createBrand, Refusal } from "@muster/protocol";
import { letMainThreadGoFirst } from "../../../runtime/threads/let-main-thread-go-first.js";
import { ownThreadId } from "../../../runtime/threads/thread-times.js";
import { BodyAdmission } from "../admit-body.js";
import { bufferOf } from "./sent-parts.js";
import {
  type AdmissionThreadData,
  type BodyAnswer,
  type BodyMessage,
  packAnswer,
  type StartedMessage,
} from "./thread-messages.js";

// This file is the start of an admission thread. It reads the bodies that it gets, several in turn.

letMainThreadGoFirst();
const { brandWord, limits } = workerData as AdmissionThreadData;
const admission = new BodyAdmission(createBrand(brandWord), limits);

async function answer({ id, body, context }: BodyMessage): Promise<BodyAnswer> {
  try {
    return { id, admitted: packAnswer(await admission.admit(bufferOf(body), context)) };
  } catch (error) {
    if (!(error instanceof Refusal)) return { id, fault: String((error as Error).stack ?? error) };
    const { code, message, details } = error;
    return { id, refusal: { code, message, details } };
  }
}

parentPort?.postMessage({ threadId: ownThreadId() } satisfies StartedMessage);
parentPort?.on("message", async (message: BodyMessage) => {
  const answered = await answer(message);
  const given = "admitted" in answered ? [answered.admitted.rows.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(answered, given);
});
