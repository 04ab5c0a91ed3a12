import { Tooltip } from "@mantine/core";
import type { PropertyPredicate } from "@muster/query";
import { attributeName } from "../ui/text/words.js";
import type { BuilderContext } from "./builder-context.js";
import { TYPE_WORDS } from "./clause-choices.js";
import classes from "./clause-row.module.css";
import { isComplete } from "./clauses.js";
import { findField, ownerOf } from "./filter-schema.js";
import { OperatorSelect } from "./operator-select.js";
import { isSegmentField } from "./operators.js";
import { RemoveCondition } from "./remove-condition.js";
import { ValueEditor } from "./values/value-editor.js";

interface PropertyClauseProps {
  clause: PropertyPredicate;
  onChange: (clause: PropertyPredicate) => void;
  onRemove: () => void;
  context: BuilderContext;
  isNew: boolean;
}

/** A clause about an attribute of the user or of the account, or about its segments. */
export function PropertyClause({ clause, onChange, onRemove, context, isNew }: PropertyClauseProps) {
  const { target, schema, isReadOnly } = context;
  const { property } = clause;
  const owner = ownerOf(property, target);
  const field = findField(schema, property, target);
  const type = field?.type ?? property.type;
  const name = isSegmentField(property.key) ? "segments" : (field?.label ?? attributeName(property.key));
  const label = owner === target ? name : `account ${name}`;
  return (
    <div className={classes.row} data-incomplete={isComplete(clause) ? undefined : true}>
      {owner === target ? null : <span className={classes.owner}>account</span>}
      <Tooltip label={type ? `${attributeName(property.key)}, ${TYPE_WORDS[type]}` : attributeName(property.key)}>
        <span className={classes.name}>{name}</span>
      </Tooltip>
      <OperatorSelect clause={clause} type={type} label={label} onChange={onChange} isReadOnly={isReadOnly} />
      <ValueEditor
        clause={clause}
        onChange={onChange}
        label={label}
        type={type}
        source={{ of: owner, key: field?.key ?? property.key }}
        segments={schema.segments.filter((segment) => segment.owner === owner)}
        isReadOnly={isReadOnly}
        isNew={isNew}
      />
      <RemoveCondition label={label} isReadOnly={isReadOnly} onRemove={onRemove} />
    </div>
  );
}
