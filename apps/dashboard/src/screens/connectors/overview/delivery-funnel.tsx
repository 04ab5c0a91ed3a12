import { Text } from "@mantine/core";
import type { DeliveryFigures } from "@muster/protocol/api/deliveries";
import { formatNumber, formatShare } from "../../../ui/text/format.js";
import { funnelSteps } from "./funnel-steps.js";
import classes from "./overview.module.css";

/** From the change to the end: how many messages came to each step. */
export function DeliveryFunnel({ total }: { total: DeliveryFigures["total"] }) {
  const steps = funnelSteps(total);
  if (steps.every(({ count }) => count === 0)) {
    return <Text c="dimmed">Nothing changed for this connector in this time, and it was sent nothing.</Text>;
  }
  return (
    <ol className={classes.funnel}>
      {steps.map(({ name, count, share, kind, detail }) => (
        <li key={name} className={classes.step}>
          <Text component="span">
            {name}{" "}
            <Text component="span" c="dimmed">
              {detail}
            </Text>
          </Text>
          <Text component="span" fw={500}>
            {formatNumber(count)}
            {share === undefined ? null : (
              <Text component="span" c="dimmed" fw={400}>
                {" "}
                · {formatShare(share)}
              </Text>
            )}
          </Text>
          <span className={classes.bar}>
            <svg aria-hidden width="100%" height="6" preserveAspectRatio="none" viewBox="0 0 100 6">
              <rect className={classes.filled} data-kind={kind} width={Math.min(100, (share ?? 1) * 100)} height="6" />
            </svg>
          </span>
        </li>
      ))}
    </ol>
  );
}
