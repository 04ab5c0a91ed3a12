import type { PropertyPredicate } from "@muster/query";
import classes from "./clause-row.module.css";
import { propertyName, typeOfProperty } from "./event-properties.js";
import type { FilterEvent } from "./filter-schema.js";
import { OperatorSelect } from "./operator-select.js";
import { RemoveCondition } from "./remove-condition.js";
import { ValueEditor } from "./values/value-editor.js";

interface EventConditionProps {
  condition: PropertyPredicate;
  eventName: string;
  properties: FilterEvent["properties"];
  isReadOnly: boolean;
  onChange: (condition: PropertyPredicate) => void;
  onRemove: () => void;
}

/** A condition on a property of an event. */
export function EventCondition(props: EventConditionProps) {
  const { condition, eventName, properties, isReadOnly, onChange, onRemove } = props;
  const name = propertyName(condition.property.key);
  const type = condition.property.type ?? typeOfProperty(properties, name);
  return (
    <div className={classes.condition}>
      <span className={classes.owner}>with</span>
      <span className={classes.name}>{name}</span>
      <OperatorSelect clause={condition} type={type} label={name} onChange={onChange} isReadOnly={isReadOnly} />
      <ValueEditor
        clause={condition}
        onChange={onChange}
        label={name}
        type={type}
        source={{ of: "event", key: name, eventName }}
        segments={[]}
        isReadOnly={isReadOnly}
        isNew={false}
      />
      <RemoveCondition label={name} isReadOnly={isReadOnly} onRemove={onRemove} />
    </div>
  );
}
