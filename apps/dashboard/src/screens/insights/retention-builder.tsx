import type { RetentionRequest } from "@muster/protocol/api/insights";
import type { FilterSchema } from "../../filters/filter-schema.js";
import { EventChoice } from "./event-choice.js";
import classes from "./insights-screen.module.css";
import { IntervalSelect, TimeRange } from "./time-fields.js";

interface RetentionBuilderProps {
  value: RetentionRequest;
  onChange: (value: RetentionRequest) => void;
  schema: FilterSchema;
}

/** With which event users begin, and with which one they come back. */
export function RetentionBuilder({ value, onChange, schema }: RetentionBuilderProps) {
  return (
    <div className={classes.builder}>
      <div className={classes.row}>
        <span className={classes.word}>Users begin with</span>
        <EventChoice
          label="Event that users begin with"
          value={value.start ?? {}}
          onChange={(start) => onChange({ ...value, start })}
          schema={schema}
        />
      </div>
      <div className={classes.row}>
        <span className={classes.word}>and come back with</span>
        <EventChoice
          label="Event that users come back with"
          value={value.return ?? {}}
          onChange={(comeback) => onChange({ ...value, return: comeback })}
          schema={schema}
        />
      </div>
      <div className={classes.fields}>
        <TimeRange value={value} onChange={onChange} />
        <IntervalSelect value={value} onChange={onChange} />
      </div>
    </div>
  );
}
