import type { Field } from "../query.js";
import type { Column } from "./column.js";
import { columnOf } from "./column-of.js";
import { enter, rowsOf, type Scope } from "./scope.js";

/** Whose values can be beside a row: an event has a user and perhaps an account, a user perhaps an account. */
type Beside = "user" | "account";

interface Expression {
  readonly sql: string;
}

/**
 * Tables that must be joined to the rows, because one of their values is shown, sorted by or counted. (A condition alone
 * is a subquery, which is cheaper.)
 */
export class Joins {
  readonly #scope: Scope;
  readonly #columns: Readonly<Record<Beside, string[]>> = { user: [], account: [] };
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
    const { target } = field;
    const beside = target === this.#scope.target || target === "event" ? undefined : target;
    const column = columnOf(field, beside ? enter(this.#scope, beside) : this.#scope);
    if (column.type === "memberships") return express({ type: "array", sql: this.#segments(beside) });
    const values = express(column);
    // `map` keeps the length; TypeScript does not know that.
    return beside ? (values.map((value) => this.#beside(beside, value)) as unknown as Values) : values;
  }

  /** The SQL of the joins, to write after the table in `from`. */
  sql(): string {
    return [this.#rowsBeside("user"), this.#rowsBeside("account"), ...this.#members.values()].join("");
  }

  /** Rows without an account get null or an empty array, which mean the same. */
  #beside(target: Beside, value: Expression): Expression {
    const columns = this.#columns[target];
    const name = `${target}_value_${columns.length}`;
    columns.push(`${value.sql} as ${name}`);
    return { ...value, sql: name };
  }

  #rowsBeside(target: Beside): string {
    const columns = this.#columns[target];
    if (columns.length === 0) return "";
    const { dialect } = this.#scope;
    const selected = [`${dialect.key} as ${target}_row_key`, ...columns].join(", ");
    const rows = `select ${selected} from ${rowsOf(target, enter(this.#scope, target))}`;
    return ` left join (${rows}) as ${target}_rows on ${this.#keyOf(target)} = ${target}_rows.${target}_row_key`;
  }

  #segments(beside: Beside | undefined): string {
    const { dialect, params } = this.#scope;
    const name = `${beside ?? "own"}_segments`;
    const owner = beside ? this.#keyOf(beside) : dialect.key;
    this.#members.set(name, ` left join (${dialect.segmentLists(params)}) as ${name} on ${owner} = ${name}.member_key`);
    return `${name}.segment_list`;
  }

  #keyOf(target: Beside): string {
    const { dialect } = this.#scope;
    return target === "user" ? dialect.userKey : dialect.accountKey;
  }
}
