import { Select, TextInput } from "@mantine/core";
import { DAY_MS } from "@muster/protocol";
import type { TrendRequest } from "@muster/protocol/api/insights";
import { timeWords } from "../../ui/text/words.js";
import classes from "./insights-screen.module.css";

type Times = Pick<TrendRequest, "from" | "to">;

const RANGES = [
  { value: "now-24h/h", label: "Last 24 hours" },
  { value: "now-7d/d", label: "Last 7 days" },
  { value: "now-30d/d", label: "Last 30 days" },
  { value: "now-90d/d", label: "Last 90 days" },
  { value: "now-8w/w", label: "Last 8 weeks" },
  { value: "now-12M/M", label: "Last 12 months" },
  { value: "now-365d/d", label: "Last 365 days" },
];
const BETWEEN_DAYS = { value: "custom", label: "Between two days" };

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The time that is asked about: one of the usual ones, two days, or what an address or a program has asked for. */
export function TimeRange<Value extends Times>({
  value,
  onChange,
}: {
  value: Value;
  onChange: (value: Value) => void;
}) {
  const { from, to } = value;
  const isUsual = to === "now" && RANGES.some(({ value: usual }) => usual === from);
  const isOfDays = isDay(from) && isDay(to);
  const own = { value: "own", label: `From ${timeWords(from)} to ${timeWords(to)}` };
  const choose = (chosen: string | null) => {
    if (chosen === null || chosen === own.value) return;
    const now = Date.now();
    onChange(
      chosen === BETWEEN_DAYS.value
        ? { ...value, from: dayOf(now - 30 * DAY_MS), to: dayOf(now + DAY_MS) }
        : { ...value, from: chosen, to: "now" },
    );
  };
  // A field that somebody empties asks nothing: the day before stays.
  const changeDay = (day: Partial<Times>) => {
    if (Object.values(day).every(isDay)) onChange({ ...value, ...day });
  };
  return (
    <>
      <Select
        label="Time"
        data={[...RANGES, BETWEEN_DAYS, ...(isUsual || isOfDays ? [] : [own])]}
        value={isUsual ? from : isOfDays ? BETWEEN_DAYS.value : own.value}
        allowDeselect={false}
        onChange={choose}
        className={classes.field}
      />
      {isOfDays ? (
        <>
          <TextInput
            type="date"
            label="From"
            value={from}
            onChange={({ currentTarget }) => changeDay({ from: currentTarget.value })}
          />
          <TextInput
            type="date"
            label="To, not included"
            value={to}
            onChange={({ currentTarget }) => changeDay({ to: currentTarget.value })}
          />
        </>
      ) : null}
    </>
  );
}

const INTERVALS = ["hour", "day", "week", "month"].map((value) => ({ value, label: `By ${value}` }));

export function IntervalSelect<Value extends { interval: TrendRequest["interval"] }>({
  value,
  onChange,
}: {
  value: Value;
  onChange: (value: Value) => void;
}) {
  return (
    <Select
      label="Interval, in UTC"
      data={INTERVALS}
      value={value.interval}
      allowDeselect={false}
      // The choices are the intervals.
      onChange={(interval) => interval && onChange({ ...value, interval: interval as TrendRequest["interval"] })}
      className={classes.field}
    />
  );
}
