import type { ChangeSet, SegmentMoves } from "../../../domain/changes/change-set.js";
import { decompress } from "../../logs/compression.js";

/** Reads the payload of a change. In old rows the field `subjectType` of a move is called `entity`. */
export function decompressChange(payload: Buffer): ChangeSet {
  const change = decompress<ChangeSet>(payload);
  if (!change.evaluation) return change;
  const moves = change.evaluation.moves.map((move: SegmentMoves & { entity?: SegmentMoves["subjectType"] }) => {
    const { entity, ...rest } = move;
    return entity === undefined ? move : { ...rest, subjectType: entity };
  });
  return { ...change, evaluation: { ...change.evaluation, moves } };
}
