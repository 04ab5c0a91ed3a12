import type { JobHandler } from "../runner/job-handler.js";
import { type AttributeRewrite, type AttributeRewriteOptions, rewriteAttribute } from "./attribute-job.js";
import {
  type EventMerge,
  type EventUnmerge,
  type MergeEventsOptions,
  mergeEvents,
  unmergeEvent,
} from "./merge-events-job.js";

export type RewriteJobOptions = MergeEventsOptions & AttributeRewriteOptions;

export type Rewrite = AttributeRewrite | EventMerge | EventUnmerge;

/** Changes what is stored of everybody: an attribute that is deleted or gets another type, or a name of events. */
export function createRewrite(options: RewriteJobOptions): JobHandler {
  return {
    run(run) {
      // Every rewrite is scheduled with these parameters.
      const rewrite = run.job.parameters as Rewrite;
      if (rewrite.kind === "merge_events") return mergeEvents(options, run, rewrite);
      if (rewrite.kind === "unmerge_event") return unmergeEvent(options, run, rewrite);
      return rewriteAttribute(options, run, rewrite);
    },
    discard: async () => {},
    leave: async () => {},
  };
}
