import { enterThread } from "../../../runtime/threads/enter-thread.js";
import { type ReferenceThreadCalls, writeReference } from "../write-reference.js";

// This file is the start of the thread that writes the OpenAPI document once.

enterThread<ReferenceThreadCalls>({ write: writeReference });
