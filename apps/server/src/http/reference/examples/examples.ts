import type { Brand } from "@muster/protocol";
import { AUDIENCE_EXAMPLES } from "./audience-examples.js";
import { CONNECTOR_EXAMPLES } from "./connector-examples.js";
import type { Examples } from "./example.js";
import { ingestionExamples } from "./ingestion-examples.js";
import { JOB_EXAMPLES } from "./job-examples.js";
import { OBJECT_EXAMPLES } from "./object-examples.js";
import { OPERATION_EXAMPLES } from "./operation-examples.js";
import { PAGE_EXAMPLES } from "./page-examples.js";

/** The examples of all operations. Every operation has one; a test sends them all. */
export function examplesOf(brand: Brand): Examples {
  return {
    ...ingestionExamples(brand),
    ...AUDIENCE_EXAMPLES,
    ...OBJECT_EXAMPLES,
    ...CONNECTOR_EXAMPLES,
    ...JOB_EXAMPLES,
    ...OPERATION_EXAMPLES,
    ...PAGE_EXAMPLES,
  };
}
