import type { GroupPredicate, Predicate } from "@muster/query";
import type { BuilderContext } from "./builder-context.js";
import { ClauseGroup } from "./clause-group.js";
import { asGroup } from "./clauses.js";
import type { FilterSchema, FilterTarget } from "./filter-schema.js";
import { SchemaProblem } from "./schema-problem.js";

export interface FilterBuilderProps {
  target: FilterTarget;
  /** A predicate that `readPredicate` accepts. `{}` selects everything. */
  value: Predicate | Record<string, never>;
  /** Gets the whole filter, with clauses that are not complete yet. Ask about `completePart` of it. */
  onChange: (value: GroupPredicate) => void;
  schema: FilterSchema;
  isReadOnly?: boolean;
  /** How many are left after a clause of the outermost group, to be shown beside it. */
  leftAfter?: BuilderContext["leftAfter"];
}

/** Builds a filter of users or accounts, clause by clause. */
export function FilterBuilder({ target, value, onChange, schema, isReadOnly = false, leftAfter }: FilterBuilderProps) {
  return (
    <>
      <SchemaProblem schema={schema} />
      <ClauseGroup
        group={asGroup(value)}
        onChange={onChange}
        context={{ target, schema, isReadOnly, leftAfter }}
        depth={0}
      />
    </>
  );
}
