import type { Field } from "../query.js";
import type { Column } from "./column.js";
import { columnOf } from "./column-of.js";
import { enter, rowsOf, type Scope } from "./scope.js";

interface Expression {
  readonly sql: string;
}

/**
 * Tables that must be joined to the rows, because one of their values is shown, sorted by or counted. (A condition alone
 * is a subquery, which is cheaper.)
 */
export class Joins {
  readonly #scope: Scope;
  readonly #accountColumns: string[] = [];
  readonly #members = new Map<string, string>();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** An expression over a field of the rows or of a joined table. Segments are an array of ids. */
  value<Value extends Expression>(field: Field, express: (column: Column) => Value): Value {
    const [value] = this.values(field, (column) => [express(column)]);
    return value;
  }

  /** Several expressions over one field, or none. */
  values<Values extends readonly Expression[]>(field: Field, express: (column: Column) => Values): Values {
    const own = field.target === this.#scope.target;
    const column = columnOf(field, own ? this.#scope : enter(this.#scope, field.target));
    if (column.type === "memberships") return express({ type: "array", sql: this.#segments(own) });
    const values = express(column);
    // `map` keeps the length; TypeScript does not know that.
    return own ? values : (values.map((value) => this.#beside(value)) as unknown as Values);
  }

  /** The SQL of the joins, to write after the table in `from`. */
  sql(): string {
    return [this.#accounts(), ...this.#members.values()].join("");
  }

  /** Rows without an account get null or an empty array, which mean the same. */
  #beside(value: Expression): Expression {
    const name = `account_value_${this.#accountColumns.length}`;
    this.#accountColumns.push(`${value.sql} as ${name}`);
    return { ...value, sql: name };
  }

  #accounts(): string {
    if (this.#accountColumns.length === 0) return "";
    const { dialect } = this.#scope;
    const columns = [`${dialect.key} as account_row_key`, ...this.#accountColumns].join(", ");
    const accounts = `select ${columns} from ${rowsOf("account", enter(this.#scope, "account"))}`;
    return ` left join (${accounts}) as account_rows on ${dialect.accountKey} = account_rows.account_row_key`;
  }

  #segments(own: boolean): string {
    const { dialect, params } = this.#scope;
    const name = own ? "own_segments" : "account_segments";
    const owner = own ? dialect.key : dialect.accountKey;
    this.#members.set(name, ` left join (${dialect.segmentLists(params)}) as ${name} on ${owner} = ${name}.member_key`);
    return `${name}.segment_list`;
  }
}
