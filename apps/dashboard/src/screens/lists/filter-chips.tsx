import { Button, Group, Pill } from "@mantine/core";
import type { GroupPredicate, Predicate } from "@muster/query";
import { PlusIcon } from "@primer/octicons-react";
import { asGroup } from "../../filters/clauses.js";
import type { FilterSchema, FilterTarget } from "../../filters/filter-schema.js";
import { predicateSentence } from "../../filters/predicate-sentence.js";
import classes from "./filter-chips.module.css";

interface FilterChipsProps {
  target: FilterTarget;
  predicate: Predicate | Record<string, never>;
  schema: FilterSchema;
  isEditing: boolean;
  onEdit: () => void;
  onChange: (predicate: GroupPredicate) => void;
}

/** The filter in words, a chip for each clause. The clauses of a filter with other rules than "all" are one chip. */
export function FilterChips({ target, predicate, schema, isEditing, onEdit, onChange }: FilterChipsProps) {
  const group = asGroup(predicate);
  const words = (part: Predicate) =>
    predicateSentence(part, { target, schema }).replace(/^(?:Users|Accounts) (?:whose |who |with |which )?/, "");
  const chips = group.type === "all" ? group.predicates : [group];
  return (
    <Group gap={6} className={classes.chips}>
      {group.predicates.length === 0
        ? null
        : chips.map((clause, index) => (
            <Pill
              key={JSON.stringify(clause)}
              withRemoveButton
              removeButtonProps={{
                "aria-label": `Remove the filter ${words(clause)}`,
                "aria-hidden": false,
                tabIndex: 0,
              }}
              onRemove={() =>
                onChange({
                  type: "all",
                  predicates: group.type === "all" ? group.predicates.filter((_, at) => at !== index) : [],
                })
              }
            >
              {words(clause)}
            </Pill>
          ))}
      <Button
        variant="subtle"
        size="compact-xs"
        leftSection={isEditing ? undefined : <PlusIcon size={12} />}
        aria-expanded={isEditing}
        onClick={onEdit}
      >
        {isEditing ? "Done" : group.predicates.length === 0 ? "Filter" : "Edit filter"}
      </Button>
    </Group>
  );
}
