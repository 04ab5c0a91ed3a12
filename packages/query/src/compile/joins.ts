import type { Field } from "../query.js";
import { type Column, columnOf } from "./column.js";
import { TRUE } from "./logic.js";
import { membershipRows } from "./membership-rows.js";
import { enter, rowsOf, type Scope } from "./scope.js";

interface Expression {
  readonly sql: string;
  readonly isArray?: boolean;
}

/**
 * Tables that must stand beside the rows in `from` because a value of theirs is shown, sorted or counted by. (A mere
 * condition on them is a subquery, which is cheaper.)
 */
export class Joins {
  readonly #scope: Scope;
  readonly #accountColumns: string[] = [];
  readonly #members = new Map<string, string>();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** An expression over a field, usable in the statement whoever owns the field. Segments come as an array of ids. */
  value<Value extends Expression>(field: Field, express: (column: Column) => Value): Value {
    const [value] = this.values(field, (column) => [express(column)]);
    return value;
  }

  /** Several expressions over one field, or none. */
  values<Values extends readonly Expression[]>(field: Field, express: (column: Column) => Values): Values {
    const own = field.entity === this.#scope.entity;
    const column = columnOf(field, own ? this.#scope : enter(this.#scope, field.entity));
    if (column.type === "memberships")
      return express({ type: "array", sql: this.#segments(own ? "id" : "account_id") });
    const values = express(column);
    // Mapping keeps the length, which the compiler does not know.
    return own ? values : (values.map((value) => this.#beside(value)) as unknown as Values);
  }

  /** What follows the table in `from`. */
  sql(): string {
    return [this.#accounts(), ...this.#members.values()].join("");
  }

  #beside(value: Expression): Expression {
    const name = `account_value_${this.#accountColumns.length}`;
    // Rows without an account get a null, or an empty array, which is the same.
    this.#accountColumns.push(`${value.isArray ? value.sql : `toNullable(${value.sql})`} as ${name}`);
    return { ...value, sql: name };
  }

  #accounts(): string {
    if (this.#accountColumns.length === 0) return "";
    const columns = ["toString(id) as account_key", ...this.#accountColumns].join(", ");
    const accounts = rowsOf("account", enter(this.#scope, "account"));
    return ` any left join (select ${columns} from ${accounts}) as account_rows on account_id = account_rows.account_key`;
  }

  #segments(owner: "id" | "account_id"): string {
    const name = `segments_of_${owner}`;
    const key = owner === "id" ? "entity_id" : "toString(entity_id)";
    const members = `select ${key} as member_key, groupArray(toString(segment_id)) as ${name} from ${membershipRows(TRUE, enter(this.#scope, this.#scope.entity))} group by member_key`;
    this.#members.set(owner, ` any left join (${members}) as rows_${name} on ${owner} = rows_${name}.member_key`);
    return name;
  }
}
