import { Select } from "@mantine/core";
import type { FieldType, PropertyOperator, PropertyPredicate } from "@muster/query";
import classes from "./clause-row.module.css";
import { withOperator } from "./clauses.js";
import { OPERATORS, operatorsFor } from "./operators.js";

interface OperatorSelectProps {
  clause: PropertyPredicate;
  type: FieldType | undefined;
  label: string;
  onChange: (clause: PropertyPredicate) => void;
  isReadOnly: boolean;
}

/** How a value is compared. */
export function OperatorSelect({ clause, type, label, onChange, isReadOnly }: OperatorSelectProps) {
  const choices = operatorsFor(clause.property.key, type, clause.operator);
  return (
    <Select
      className={classes.operator}
      aria-label={`How ${label} is compared`}
      data={choices.map((value) => ({ value, label: OPERATORS[value].words }))}
      value={clause.operator}
      allowDeselect={false}
      disabled={isReadOnly}
      onChange={(chosen) => {
        // The choices are operators.
        if (chosen) onChange(withOperator(clause, chosen as PropertyOperator));
      }}
    />
  );
}
