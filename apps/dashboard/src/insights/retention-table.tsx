import type { RetentionAnswer } from "@muster/protocol/api/insights";
import { formatCount, formatNumber, formatShare } from "../ui/text/format.js";
import { intervalWords } from "./insight-words.js";
import classes from "./insights.module.css";
import { NumberButton, type OpenNumber } from "./number-button.js";

interface RetentionTableProps {
  answer: RetentionAnswer;
  onOpen: OpenNumber;
}

/** Cohorts by the interval of their first event, and the share that came back in each later interval. */
export function RetentionTable({ answer: { cohorts, interval }, onOpen }: RetentionTableProps) {
  const ages = cohorts[0]?.returned.map((_, age) => age) ?? [];
  return (
    <div className={classes.scroll}>
      <table className={classes.table} aria-label="Cohorts">
        <thead>
          <tr>
            <th scope="col">First event</th>
            <th scope="col">Users</th>
            {ages.map((age) => (
              <th key={age} scope="col">
                {age === 0 ? `Same ${interval}` : `${interval[0]?.toUpperCase()}${interval.slice(1)} ${age}`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cohorts.map(({ at, users, returned }, place) => (
            <tr key={at}>
              <th scope="row">{intervalWords(at, interval)}</th>
              <td>
                {users === 0 ? (
                  <span className={classes.plain}>0</span>
                ) : (
                  <NumberButton
                    number={{ at }}
                    title={`${intervalWords(at, interval)}: ${formatCount(users, "user")} began`}
                    onOpen={onOpen}
                  >
                    {formatNumber(users)}
                  </NumberButton>
                )}
              </td>
              {returned.map((count, age) => {
                const back = cohorts[place + age]?.at ?? at;
                const share = users === 0 ? 0 : count / users;
                return (
                  <td key={back} className={classes.cell}>
                    <svg className={classes.shade} viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden>
                      <rect width={1} height={1} fillOpacity={share * 0.45} />
                    </svg>
                    {count === 0 ? (
                      <span className={classes.plain}>{users === 0 ? "–" : "0 %"}</span>
                    ) : (
                      <NumberButton
                        number={{ at, back }}
                        title={`${intervalWords(at, interval)}: ${formatShare(share)}, ${formatCount(count, "user")}, came back in ${intervalWords(back, interval)}`}
                        onOpen={onOpen}
                      >
                        {formatShare(share)}
                      </NumberButton>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
