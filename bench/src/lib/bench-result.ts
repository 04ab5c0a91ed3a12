import type { Cell } from "./render-table.js";

/** What a benchmark has measured: its tables are printed, and the report keeps all of it. */
export interface BenchResult {
  /** What was measured on, such as the number of users. */
  about?: string;
  tables: ResultTable[];
  charts?: Chart[];
  /** Figures by name that the report compares between runs of several sizes. */
  bySize?: { size: number; figures: Record<string, number> };
  /** What was expected and is not so. */
  failures?: string[];
  /** Measurements that are too many for a table. They are written as files. */
  files?: ResultFile[];
}

export interface ResultFile {
  name: string;
  text: string;
}

export interface ResultTable {
  headings: string[];
  rows: Cell[][];
}

/** Lines over one axis. The name is the name of its file too. */
export interface Chart {
  name: string;
  title: string;
  x: Axis;
  y: Axis;
  lines: { name: string; points: [x: number, y: number][] }[];
}

export interface Axis {
  label: string;
  isLogarithmic?: boolean;
}
