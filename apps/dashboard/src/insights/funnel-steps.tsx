import { Stack, Title } from "@mantine/core";
import type { FunnelAnswer, FunnelRequest } from "@muster/protocol/api/insights";
import { formatCount, formatNumber, formatShare } from "../ui/text/format.js";
import { eventWords } from "./insight-words.js";
import classes from "./insights.module.css";
import { NumberButton, type OpenNumber } from "./number-button.js";

interface FunnelStepsProps {
  asked: FunnelRequest;
  answer: FunnelAnswer;
  onOpen: OpenNumber;
}

/** How many users reached each step, and how many dropped before the next one. */
export function FunnelSteps({ asked, answer, onOpen }: FunnelStepsProps) {
  return (
    <Stack gap="lg">
      {answer.groups.map(({ breakdown, steps }) => (
        <div key={String(breakdown)}>
          {breakdown === null ? null : <Title order={3}>{String(breakdown)}</Title>}
          <ol className={classes.steps} aria-label={breakdown === null ? "Funnel" : `Funnel of ${String(breakdown)}`}>
            {steps.map(({ users, of_first: share, of_before: before }, step) => {
              const name = eventWords(asked.steps[step] ?? {});
              const slice = breakdown === null ? {} : { breakdown };
              const dropped = users - (steps[step + 1]?.users ?? users);
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place in the funnel
                <li key={step} className={classes.step}>
                  <span className={classes.name}>
                    {step + 1}. {name}
                  </span>
                  <svg className={classes.bar} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden>
                    <rect className={classes.ground} width={100} height={8} />
                    <rect className={classes.filled} width={(share ?? 0) * 100} height={8} />
                  </svg>
                  <NumberButton
                    number={{ step, ...slice }}
                    title={`Step ${step + 1}, ${name}: ${formatCount(users, "user")}`}
                    onOpen={onOpen}
                  >
                    {formatNumber(users)}
                  </NumberButton>
                  <span className={classes.notes}>
                    {share === null ? "nobody began" : `${formatShare(share)} of the first step`}
                    {step === 0 || before === null ? "" : `, ${formatShare(before)} of the step before`}
                    {dropped > 0 ? (
                      <>
                        {" · "}
                        <NumberButton
                          number={{ step, dropped: true, ...slice }}
                          title={`${formatNumber(dropped)} dropped after step ${step + 1}, ${name}`}
                          onOpen={onOpen}
                        >
                          {formatNumber(dropped)} dropped
                        </NumberButton>
                      </>
                    ) : null}
                  </span>
                </li>
              );
            })}
          </ol>
        </div>
      ))}
    </Stack>
  );
}
