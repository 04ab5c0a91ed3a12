import { DAY_MS } from "@muster/protocol";
import type { MovingSegment } from "@muster/protocol/api/overview";
import { startOf, startsBetween } from "../domain/charts/intervals.js";
import { sizesOverTime } from "../domain/charts/segment-sizes.js";
import type { Database } from "../storage/postgres/database.js";
import { listSegments } from "../storage/postgres/segments/segments.js";
import type { Questions } from "../storage/questions/questions.js";

export interface MovingSegmentsOptions {
  database: Database;
  questions: Questions;
}

const SHOWN = 8;
const DAYS = 30;

/** The segments that most subjects entered or left in the last 24 hours, the most moved first. */
export async function readMovingSegments(
  { database, questions }: MovingSegmentsOptions,
  organizationId: string,
  now: Date,
): Promise<MovingSegment[]> {
  const segments = await listSegments(database, organizationId);
  if (segments.length === 0) return [];
  const dayAgo = { from: new Date(now.getTime() - DAY_MS), interval: "month" } as const;
  const moves = new Map<string, { entered: number; left: number }>();
  for (const { segmentId, entered, left } of await questions.countMovesPerInterval(organizationId, dayAgo)) {
    const before = moves.get(segmentId) ?? { entered: 0, left: 0 };
    moves.set(segmentId, { entered: before.entered + entered, left: before.left + left });
  }
  const countOf = (id: string) => {
    const { entered, left } = moves.get(id) ?? { entered: 0, left: 0 };
    return entered + left;
  };
  const shown = segments
    .filter(({ id }) => countOf(id) > 0)
    .sort((one, other) => countOf(other.id) - countOf(one.id))
    .slice(0, SHOWN);
  const ids = shown.map(({ id }) => id);
  const from = new Date(startOf("day", now.getTime()) - (DAYS - 1) * DAY_MS);
  const [sizes, daily] = await Promise.all([
    questions.segmentSizes(organizationId, ids),
    questions.countMovesPerInterval(organizationId, { from, interval: "day" }, ids),
  ]);
  const days = startsBetween("day", from.getTime(), now.getTime());
  return shown.map(({ id, name, subjectType, createdAt }) => {
    const size = sizes.get(id) ?? 0;
    const history = {
      size,
      createdAt: createdAt.getTime(),
      moves: daily.filter(({ segmentId }) => segmentId === id),
    };
    return {
      id,
      name,
      subject_type: subjectType,
      size,
      ...moves.get(id)!,
      sizes: sizesOverTime(history, days).map((day) => day.size),
    };
  });
}
