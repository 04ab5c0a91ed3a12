import type { JobHandler } from "../runner/job-handler.js";
import { type AttributeRewrite, rewriteAttribute } from "./attribute-job.js";
import { type EventMerge, type MergeEventsOptions, mergeEvents } from "./merge-events-job.js";

export type RewriteJobOptions = MergeEventsOptions;

export type Rewrite = AttributeRewrite | EventMerge;

/** Changes what is stored of everybody: an attribute that is deleted or gets another type, or a name of events. */
export function createRewrite(options: RewriteJobOptions): JobHandler {
  return {
    run(run) {
      // Every rewrite is scheduled with these parameters.
      const rewrite = run.job.parameters as Rewrite;
      return rewrite.kind === "merge_events"
        ? mergeEvents(options, run, rewrite)
        : rewriteAttribute(options, run, rewrite);
    },
    discard: async () => {},
    leave: async () => {},
  };
}
