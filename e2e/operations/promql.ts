import { parser } from "@prometheus-io/lezer-promql";

export interface Selection {
  metric: string;
  /** Labels by which the series are chosen. */
  matched: string[];
}

export interface Expression {
  selections: Selection[];
  /** Labels by which an aggregation groups. */
  grouped: string[];
}

/** The metrics and labels that a PromQL expression names. Throws when it is no PromQL. */
export function readPromql(text: string): Expression {
  const selections: Selection[] = [];
  const grouped: string[] = [];
  const cursor = parser.parse(text).cursor();
  let inGrouping = 0;
  do {
    const said = text.slice(cursor.from, cursor.to);
    if (cursor.type.isError) throw new Error(`This is no PromQL, at "${text.slice(cursor.from)}": ${text}`);
    if (cursor.name === "VectorSelector") selections.push({ metric: "", matched: [] });
    if (cursor.name === "GroupingLabels") inGrouping = cursor.to;
    const selection = selections.at(-1);
    if (cursor.name === "Identifier" && selection) selection.metric = said;
    if (cursor.name === "LabelName") {
      if (cursor.to <= inGrouping) grouped.push(said);
      else selection?.matched.push(said);
    }
  } while (cursor.next());
  return { selections, grouped };
}
