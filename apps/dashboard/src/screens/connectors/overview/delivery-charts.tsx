import type { DeliveryFigures } from "@muster/protocol/api/deliveries";
import { useMemo } from "react";
import { type Series, TimeChart } from "../../../ui/charts/time-chart.js";
import classes from "./overview.module.css";
import { Section } from "./section.js";

/** Delivered, retried and given up over time, and how long messages waited. */
export function DeliveryCharts({ figures }: { figures: DeliveryFigures }) {
  const { points } = figures;
  const times = useMemo(() => points.map(({ at }) => Date.parse(at)), [points]);
  const messages = useMemo((): Series[] => {
    return [
      { name: "Accepted", values: points.map(({ delivered }) => delivered), colour: "--good-fill" },
      { name: "To be tried again", values: points.map(({ retried }) => retried), colour: "--late-fill" },
      { name: "Given up", values: points.map(({ dead }) => dead), colour: "--bad-fill" },
    ];
  }, [points]);
  const lag = useMemo((): Series[] => {
    const values = points.map(({ delivered, lag_ms }) => (delivered === 0 ? null : lag_ms / 1_000));
    return [{ name: "Seconds", values, kind: "bars" }];
  }, [points]);
  return (
    <div className={classes.columns}>
      <Section title="Messages">
        <TimeChart
          times={times}
          series={messages}
          label="Messages accepted, to be tried again and given up over time"
        />
      </Section>
      <Section title="Longest wait in seconds">
        <TimeChart times={times} series={lag} label="The longest time that a delivered message had waited, over time" />
      </Section>
    </div>
  );
}
