import { Button, Group, Slider, TextInput } from "@mantine/core";
import { useState } from "react";
import { formatTime } from "../text/format.js";
import { localText } from "./local-text.js";

interface MomentFieldProps {
  label: string;
  /** An ISO time; empty for now. */
  value: string;
  onChange: (value: string | undefined) => void;
  /** The earliest moment, in milliseconds. */
  from: number;
}

const STEPS = 1_000;

/** A moment in the past: a date and a time to type, and a slider from the beginning until now. */
export function MomentField({ label, value, onChange, from }: MomentFieldProps) {
  const [now] = useState(Date.now);
  // While the slider moves, nothing is asked.
  const [held, setHeld] = useState<number>();
  const span = Math.max(1, now - from);
  const chosen = value === "" ? now : Date.parse(value);
  const timeAt = (step: number) => from + (span * step) / STEPS;
  const choose = (time: number) => onChange(time >= now ? undefined : new Date(Math.max(from, time)).toISOString());
  return (
    <Group gap="sm" wrap="wrap" role="group" aria-label={label}>
      <TextInput
        type="datetime-local"
        step={1}
        aria-label={`${label}: date and time`}
        value={localText(held === undefined ? chosen : timeAt(held))}
        onChange={({ currentTarget }) => {
          const time = Date.parse(currentTarget.value);
          if (!Number.isNaN(time)) choose(time);
        }}
      />
      <Slider
        style={{ flex: "1 1 10rem", minWidth: "8rem" }}
        thumbLabel={label}
        min={0}
        max={STEPS}
        value={held ?? Math.round(((chosen - from) / span) * STEPS)}
        label={(step) => formatTime(timeAt(step))}
        onChange={setHeld}
        onChangeEnd={(step) => {
          setHeld(undefined);
          choose(step === STEPS ? now : timeAt(step));
        }}
      />
      <Button variant="default" disabled={value === ""} onClick={() => onChange(undefined)}>
        Now
      </Button>
    </Group>
  );
}
