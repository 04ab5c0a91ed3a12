import type { TrendAnswer } from "@muster/protocol/api/insights";
import { formatNumber } from "../ui/text/format.js";
import { intervalWords, lineWords, type TrendSeries } from "./insight-words.js";
import classes from "./insights.module.css";
import { NumberButton, type OpenNumber } from "./number-button.js";

interface TrendTableProps {
  asked: readonly TrendSeries[];
  answer: TrendAnswer;
  segmentNames: ReadonlyMap<string, string>;
  onOpen: OpenNumber;
}

/** Every number of a trend, the latest first. */
export function TrendTable({ asked, answer, segmentNames, onOpen }: TrendTableProps) {
  const { series, previous, interval } = answer;
  const starts = series[0]?.points.map(({ at }) => at) ?? [];
  const names = series.map((one) => lineWords(asked, one, segmentNames));
  const namesBefore = (previous?.series ?? []).map((one) => `${lineWords(asked, one, segmentNames)}, before`);
  const shared = { asked, interval, onOpen };
  return (
    <div className={classes.scroll}>
      <table className={classes.table} aria-label="Numbers of the trend">
        <thead>
          <tr>
            <th scope="col">Time</th>
            {names.map((name) => (
              <th key={name} scope="col" title={name}>
                {name}
              </th>
            ))}
            {namesBefore.map((name) => (
              <th key={name} scope="col" title={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {starts
            .map((at, place) => (
              <tr key={at}>
                <th scope="row">{intervalWords(at, interval)}</th>
                {series.map((one, line) => (
                  <td key={names[line]}>
                    <TrendNumber {...shared} line={one} name={names[line] ?? ""} place={place} />
                  </td>
                ))}
                {previous?.series.map((one, line) => (
                  <td key={namesBefore[line]}>
                    <TrendNumber {...shared} line={one} name={namesBefore[line] ?? ""} place={place} isPrevious />
                  </td>
                ))}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </div>
  );
}

interface TrendNumberProps {
  asked: readonly TrendSeries[];
  line: TrendAnswer["series"][number];
  name: string;
  /** The place of the interval. */
  place: number;
  interval: string;
  isPrevious?: boolean;
  onOpen: OpenNumber;
}

/** One number of a trend. Sizes of segments have no list: who was a member then is not stored. */
function TrendNumber({ asked, line, name, place, interval, isPrevious = false, onOpen }: TrendNumberProps) {
  const { series, breakdown, points } = line;
  const { at = "", value = null } = points[place] ?? {};
  if (value === null) return <span className={classes.plain}>–</span>;
  const shown = formatNumber(value);
  if (value === 0 || asked[series]?.segment !== undefined) return <span className={classes.plain}>{shown}</span>;
  const number = {
    series,
    at,
    ...(breakdown === null ? {} : { breakdown }),
    ...(isPrevious ? { previous: true } : {}),
  };
  return (
    <NumberButton number={number} title={`${name}, ${intervalWords(at, interval)}: ${shown}`} onOpen={onOpen}>
      {shown}
    </NumberButton>
  );
}
