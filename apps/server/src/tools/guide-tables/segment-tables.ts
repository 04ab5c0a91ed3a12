import { MAX_CHART_POINTS } from "@muster/protocol/api/choices";
import {
  MAX_COUNTED_CLAUSES,
  MAX_SEGMENT_DESCRIPTION_LENGTH,
  MAX_SEGMENT_FOLDER_LENGTH,
  MAX_SEGMENT_NAME_LENGTH,
  MAX_SEGMENT_TAG_LENGTH,
  MAX_SEGMENT_TAGS,
} from "@muster/protocol/api/segments";
import { MAX_POINTS } from "../../audience/search/charts.js";
import { SAMPLE_SIZE } from "../../audience/search/segment-drafts.js";
import { MAX_DEFINITION_BYTES, MAX_DEFINITIONS_BYTES } from "../../audience/segments/segment-limits.js";
import { SWEEP_PERIODS } from "../../pipeline/evaluate/sweeps.js";
import { MAX_VERSIONS } from "../../storage/postgres/segments/segment-versions.js";
import { limitsTable, settingLimit, withCommas } from "./limit-rows.js";

/** The generated parts of docs/segments.md. */
export const SEGMENT_TABLES = {
  "segment-limits": () =>
    limitsTable([
      settingLimit("Segments of an organization", "MAX_SEGMENTS"),
      ["Bytes of the query and the predicate of a segment", withCommas(MAX_DEFINITION_BYTES)],
      ["Bytes of the queries and predicates of all segments of an organization", withCommas(MAX_DEFINITIONS_BYTES)],
      ["Characters in the name of a segment", withCommas(MAX_SEGMENT_NAME_LENGTH)],
      ["Characters in its description", withCommas(MAX_SEGMENT_DESCRIPTION_LENGTH)],
      ["Tags of a segment", withCommas(MAX_SEGMENT_TAGS)],
      ["Characters in a tag", withCommas(MAX_SEGMENT_TAG_LENGTH)],
      ["Characters in the name of a folder", withCommas(MAX_SEGMENT_FOLDER_LENGTH)],
      ["Versions of a segment that are kept", withCommas(MAX_VERSIONS)],
      ["Conditions that are counted one after the other", withCommas(MAX_COUNTED_CLAUSES)],
      ["How often segments whose query names `now` are evaluated", `${SWEEP_PERIODS.sweepSeconds} s`],
      ["How often a broken segment is tried again", `${SWEEP_PERIODS.retrySeconds} s`],
      ["Reports in a sample of a preview", withCommas(SAMPLE_SIZE)],
      ["Points of a chart", withCommas(MAX_POINTS)],
      ["Points of the chart of all segments together", withCommas(MAX_CHART_POINTS)],
    ]),
};
