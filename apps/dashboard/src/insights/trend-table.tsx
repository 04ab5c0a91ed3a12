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
            {previous?.series.map((one) => {
              const name = `${lineWords(asked, one, segmentNames)}, before`;
              return (
                <th key={name} scope="col" title={name}>
                  {name}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {starts
            .map((at, place) => (
              <tr key={at}>
                <th scope="row">{intervalWords(at, interval)}</th>
                {series.map((one, line) => {
                  const { series: index, breakdown } = one;
                  const value = one.points[place]?.value ?? null;
                  const title = `${names[line]}, ${intervalWords(at, interval)}: ${value === null ? "no value" : formatNumber(value)}`;
                  const isOfSegment = asked[index]?.segment !== undefined;
                  return (
                    <td key={names[line]}>
                      {value === null || value === 0 || isOfSegment ? (
                        <span className={classes.plain}>{value === null ? "–" : formatNumber(value)}</span>
                      ) : (
                        <NumberButton
                          number={{ series: index, at, ...(breakdown === null ? {} : { breakdown }) }}
                          title={title}
                          onOpen={onOpen}
                        >
                          {formatNumber(value)}
                        </NumberButton>
                      )}
                    </td>
                  );
                })}
                {previous?.series.map((one) => {
                  const value = one.points[place]?.value ?? null;
                  return (
                    <td key={`${one.series} ${String(one.breakdown)}`} className={classes.plain}>
                      {value === null ? "–" : formatNumber(value)}
                    </td>
                  );
                })}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </div>
  );
}
