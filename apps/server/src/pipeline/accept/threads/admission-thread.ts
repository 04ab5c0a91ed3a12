import { createBrand } from "@muster/protocol";
import { enterThread } from "../../../runtime/threads/enter-thread.js";
import { Transferred } from "../../../runtime/threads/thread-calls.js";
import { BodyAdmission } from "../admit-body.js";
import { bufferOf } from "./sent-parts.js";
import { type AdmissionCalls, type AdmissionThreadData, sendBody } from "./thread-messages.js";

// This file is the start of an admission thread. It reads the bodies that it gets, several in turn.

const { data } = enterThread<AdmissionCalls, AdmissionThreadData>({
  async admit(body, context) {
    const sent = sendBody(await admission.admit(bufferOf(body), context));
    return new Transferred(sent, [sent.rows.buffer as ArrayBuffer]);
  },
});
const admission = new BodyAdmission(createBrand(data.brandWord), data.limits);
