import { deepStrictEqual } from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { inject } from "vitest";
import type {} from "../../../../../../testing/choose-seed.js";
import { sized } from "../../../../../../testing/test-length.js";
import type { Questions } from "../questions.js";

/** A filling of columns takes longer than most questions. The seed of the test run says which questions wait for theirs. */
const ONE_IN = sized(4, 1);

/**
 * Asks questions about properties of events twice: of the text, and, once they are filled, of the columns. The answers must be
 * the same. `npm test` asks one question in four twice, other ones in each run, `npm run test:long` all of them.
 */
export function askedTwice(questions: Questions, rules: { areRead: boolean; uses: number }): Questions {
  const { uses } = rules;
  let asked = inject("seed");
  const columnsOf = async (id: string) =>
    (await questions.eventColumns()).filter(({ organizationId }) => organizationId === id);
  const asking = ASKING.map((method) => {
    const ask = questions[method] as (organizationId: string, ...rest: unknown[]) => Promise<unknown>;
    return [
      method,
      async (organizationId: string, ...rest: unknown[]) => {
        const isTwice = asked++ % ONE_IN === 0;
        rules.uses = isTwice ? uses : Number.POSITIVE_INFINITY;
        if (!isTwice) return ask(organizationId, ...rest);
        rules.areRead = false;
        const fromText = await ask(organizationId, ...rest).finally(() => {
          rules.areRead = true;
        });
        let columns = await columnsOf(organizationId);
        if (columns.length === 0) return fromText;
        while (columns.some(({ state }) => state !== "complete")) {
          await setTimeout(POLL_MS);
          columns = await columnsOf(organizationId);
        }
        const fromColumns = await ask(organizationId, ...rest);
        deepStrictEqual(inOrder(fromColumns), inOrder(fromText));
        return fromColumns;
      },
    ];
  });
  return Object.assign(questions, Object.fromEntries(asking));
}

const POLL_MS = 2;

/** An answer whose lists of ids, which are in no order, are sorted. Everything else is as it is. */
function inOrder(answer: unknown): unknown {
  if (!Array.isArray(answer) || !answer.every(isMove)) return answer;
  const moves = answer.map((move) => ({ ...move, entered: [...move.entered].sort(), left: [...move.left].sort() }));
  return moves.sort((one, other) => one.id.localeCompare(other.id));
}

function isMove(row: unknown): row is { id: string; entered: string[]; left: string[] } {
  return typeof row === "object" && row !== null && "entered" in row && Array.isArray(row.entered);
}

/** What asks about events. Methods that write files are not asked twice. */
const ASKING = [
  ...["page", "count", "aggregate", "explain", "changesOf", "changesOfSegments", "answer"],
  ...["trend", "funnel", "retention", "insightUsers", "aggregateEvents", "aggregateUsers", "idsAfter"],
] as (keyof Questions)[];
