import { type AskedValues, askValues } from "../../audience/computed/ask-values.js";
import type { EngineComputed } from "../../audience/computed/known-computed.js";
import { OF_PIPELINE } from "../../storage/questions/asking.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { DuePage } from "./due-subjects.js";
import type { LoadedComputations } from "./loaded-computations.js";
import { noteRefused } from "./note-refused.js";
import { type Cause, NOBODY, type WriteOptions, writeValues } from "./write-values.js";

export interface ComputeOptions extends WriteOptions {
  questions: Questions;
}

const MOST_GROUPS = 3;

/** Writes values that were asked for, as a cause of what the relay has come to. Returns about how many bytes of memory the changes take. */
export type WriteAnswer = (options: ComputeOptions, cause: Cause) => Promise<number>;

/**
 * Asks the question engine for the values of a page of subjects. Returns the function that writes those that differ. What is
 * computed follows from the state alone, so it may be repeated.
 */
export async function askPage(
  { questions }: Pick<ComputeOptions, "questions">,
  organizationId: string,
  { index, attributeTypes }: LoadedComputations,
  { subjectType, due }: DuePage,
): Promise<WriteAnswer> {
  const computed = subjectType === "user" ? index.ofUsers : index.ofAccounts;
  const answers: AskedValues[] = [];
  for (const { asked, ids } of groupsOf(due, computed)) {
    const context = { attributeTypes, now: new Date() };
    answers.push(await askValues(questions, organizationId, asked, ids, context, OF_PIPELINE));
  }
  return async (options, cause) => {
    let bytes = 0;
    for (const { values, refused } of answers) {
      await noteRefused(options, organizationId, refused);
      const toWrite = { user: NOBODY, account: NOBODY, [subjectType]: values };
      bytes += await writeValues(options, organizationId, toWrite, cause);
    }
    return bytes;
  };
}

interface Group {
  asked: readonly EngineComputed[];
  ids: string[];
}

/** Puts subjects together that need the same values. Attributes that are not computed any more are left out. */
function groupsOf(due: DuePage["due"], computed: readonly EngineComputed[]): Group[] {
  const groups = new Map<string, Group>();
  for (const [id, wanted] of due) {
    const asked = computed.filter((one) => wanted.has(one.id));
    if (asked.length === 0) continue;
    const key = asked.map((one) => one.id).join(" ");
    const group = groups.get(key);
    if (group) group.ids.push(id);
    else groups.set(key, { asked, ids: [id] });
  }
  // Many small statements take longer than one that also computes what has not changed.
  if (groups.size <= MOST_GROUPS) return [...groups.values()];
  const wanted = new Set([...groups.values()].flatMap(({ asked }) => asked));
  return [{ asked: [...wanted], ids: [...groups.values()].flatMap(({ ids }) => ids) }];
}
