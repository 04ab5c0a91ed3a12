import { ActionIcon, Group, Select, Stack, Text, Tooltip } from "@mantine/core";
import type { GroupPredicate, Predicate } from "@muster/query";
import { XIcon } from "@primer/octicons-react";
import { useState } from "react";
import { formatNumber } from "../ui/text/format.js";
import { AddClause } from "./add-clause.js";
import type { BuilderContext } from "./builder-context.js";
import classes from "./clause-group.module.css";
import { clauseId, keepId } from "./clause-ids.js";
import { isEvent, isGroup } from "./clauses.js";
import { EventClause } from "./event-clause.js";
import { GROUP_TYPES } from "./operators.js";
import { PropertyClause } from "./property-clause.js";

interface ClauseGroupProps {
  group: GroupPredicate;
  onChange: (group: GroupPredicate) => void;
  /** Missing at the root, which cannot be removed. */
  onRemove?: () => void;
  context: BuilderContext;
  depth: number;
}

const CHOICES = Object.entries(GROUP_TYPES).map(([value, label]) => ({ value, label }));

/** Clauses of which all, any or none must hold. */
export function ClauseGroup({ group, onChange, onRemove, context, depth }: ClauseGroupProps) {
  const { type, predicates } = group;
  const change = (next: readonly Predicate[]) => onChange(keepId(group, { ...group, predicates: next }));
  const replace = (index: number, next: Predicate) =>
    change(predicates.map((one, at) => (at === index ? keepId(one, next) : one)));
  const remove = (index: number) => change(predicates.filter((_, at) => at !== index));
  const [added, setAdded] = useState<string>();
  const add = (clause: Predicate) => {
    setAdded(clauseId(clause));
    change([...predicates, clause]);
  };
  const isShort = depth === 0 && predicates.length < 2 && type === "all";
  return (
    <fieldset className={classes.group} data-depth={depth}>
      <legend className={classes.hidden}>{depth === 0 ? "Filter" : "Group of conditions"}</legend>
      {isShort ? null : (
        <div className={classes.head}>
          <Select
            aria-label="Which conditions must hold"
            className={classes.type}
            data={CHOICES}
            value={type}
            allowDeselect={false}
            disabled={context.isReadOnly}
            onChange={(chosen) => {
              // The choices are the types of groups.
              if (chosen) onChange(keepId(group, { ...group, type: chosen as GroupPredicate["type"] }));
            }}
          />
          {onRemove && !context.isReadOnly ? (
            <Tooltip label="Remove the group">
              <ActionIcon color="gray" c="dimmed" aria-label="Remove the group" onClick={onRemove}>
                <XIcon size={12} />
              </ActionIcon>
            </Tooltip>
          ) : null}
        </div>
      )}
      <Stack gap={6}>
        {predicates.map((inner, index) => (
          <div key={clauseId(inner)}>
            <Clause
              clause={inner}
              onChange={(next) => replace(index, next)}
              onRemove={() => remove(index)}
              context={context}
              depth={depth}
              isNew={clauseId(inner) === added}
            />
            {depth === 0 ? <LeftAfter count={context.leftAfter?.(inner)} type={type} /> : null}
          </div>
        ))}
        {predicates.length === 0 && context.isReadOnly ? (
          <Text c="dimmed">No conditions: everything is selected.</Text>
        ) : null}
        {context.isReadOnly ? null : (
          <Group gap="xs">
            <AddClause context={context} onAdd={add} />
            <AddClause context={context} onAdd={add} isExcluding />
          </Group>
        )}
      </Stack>
    </fieldset>
  );
}

/** How many a filter selects with a clause and those before it. */
function LeftAfter({ count, type }: { count: number | undefined; type: GroupPredicate["type"] }) {
  if (count === undefined) return null;
  return (
    <Text size="xs" c="dimmed" className={classes.left} data-testid="left-after">
      {formatNumber(count)} {type === "any" ? "with it" : "left"}
    </Text>
  );
}

interface ClauseProps {
  clause: Predicate;
  onChange: (clause: Predicate) => void;
  onRemove: () => void;
  context: BuilderContext;
  depth: number;
  /** It was added just now, so its value is what the person wants to enter next. */
  isNew: boolean;
}

function Clause({ clause, onChange, onRemove, context, depth, isNew }: ClauseProps) {
  if (isGroup(clause)) {
    // A group whose last clause is removed goes with it: empty, it would select everything.
    const change = (next: GroupPredicate) =>
      next.predicates.length === 0 && clause.predicates.length > 0 ? onRemove() : onChange(next);
    return <ClauseGroup group={clause} onChange={change} onRemove={onRemove} context={context} depth={depth + 1} />;
  }
  if (isEvent(clause)) return <EventClause clause={clause} onChange={onChange} onRemove={onRemove} context={context} />;
  return <PropertyClause clause={clause} onChange={onChange} onRemove={onRemove} context={context} isNew={isNew} />;
}
