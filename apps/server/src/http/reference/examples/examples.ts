import type { Brand } from "@muster/protocol";
import { AUDIENCE_EXAMPLES } from "./audience-examples.js";
import { CONNECTOR_EXAMPLES } from "./connector-examples.js";
import { DELIVERY_EXAMPLES } from "./delivery-examples.js";
import { EVENT_EXAMPLES } from "./event-examples.js";
import type { Examples } from "./example.js";
import { HISTORY_EXAMPLES } from "./history-examples.js";
import { ingestionExamples } from "./ingestion-examples.js";
import { INSIGHT_EXAMPLES } from "./insight-examples.js";
import { JOB_EXAMPLES } from "./job-examples.js";
import { MEMBER_EXAMPLES } from "./member-examples.js";
import { OBJECT_EXAMPLES } from "./object-examples.js";
import { OPERATION_EXAMPLES } from "./operation-examples.js";
import { OVERVIEW_EXAMPLES } from "./overview-examples.js";
import { PAGE_EXAMPLES } from "./page-examples.js";

/** The examples of all operations. Every operation has one; a test sends them all. */
export function examplesOf(brand: Brand): Examples {
  return {
    ...ingestionExamples(brand),
    ...AUDIENCE_EXAMPLES,
    ...EVENT_EXAMPLES,
    ...HISTORY_EXAMPLES,
    ...OBJECT_EXAMPLES,
    // Before the examples that send dead letters again: a letter that is sent has another id afterwards.
    ...DELIVERY_EXAMPLES,
    ...CONNECTOR_EXAMPLES,
    ...INSIGHT_EXAMPLES,
    ...JOB_EXAMPLES,
    ...MEMBER_EXAMPLES,
    ...OPERATION_EXAMPLES,
    ...OVERVIEW_EXAMPLES,
    ...PAGE_EXAMPLES,
  };
}
