import { columnResizingFeature, columnSizingFeature, tableFeatures, useTable } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { notifyDone } from "../notes/notify-done.js";
import { PageSkeleton } from "../page/skeleton.js";
import classes from "./data-table.module.css";

export interface DataColumn<Row> {
  id: string;
  header: string;
  /** What hovering the header shows. */
  hint?: string;
  cell: (row: Row) => ReactNode;
  /** Pixels. Default: 160. */
  width?: number;
  align?: "left" | "right";
  isSortable?: boolean;
  /** What `c` copies. Without it the column is passed over. */
  text?: (row: Row) => string;
}

export interface Sort {
  column: string;
  direction: "asc" | "desc";
}

interface DataTableProps<Row> {
  /** What the table lists, for people who cannot see it. */
  label: string;
  columns: readonly DataColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Opens a row: a click, or Enter on the row with the cursor. */
  onOpen?: (row: Row) => void;
  sort?: Sort | undefined;
  onSort?: (sort: Sort) => void;
  /** Keys of rows that are selected. `x` and the box at the left change it. */
  selected?: ReadonlySet<string>;
  onSelect?: (key: string) => void;
  /** Called when somebody has changed the width of a column. */
  onResize?: (column: string, width: number) => void;
  /** Called when the last rows come into view. */
  onEnd?: () => void;
  /** The rows are those of the question before: they stay, dimmed, until the new ones are there. */
  isOutdated?: boolean;
  /** What an empty table says. Without it the rows are being read, and grey lines take their place. */
  empty?: ReactNode;
}

const ROW_HEIGHT = 34;
const SELECT_WIDTH = 46;
/** How many rows above and below the view are drawn: few for the first picture, more for somebody who scrolls. */
const OVERSCAN = { atRest: 2, scrolling: 12 };
const features = tableFeatures({ columnSizingFeature, columnResizingFeature });

/**
 * A table of any length: only rows in view are drawn. j and k move to other rows, h and l to other cells, Enter opens,
 * x selects, c copies the cell.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, onOpen, sort, onSort, selected, onSelect, onEnd, isOutdated, empty } = props;
  const { onResize } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState(-1);
  const [cell, setCell] = useState(0);
  const [hasScrolled, setScrolled] = useState(false);
  const definitions = useMemo(
    () => columns.map(({ id, header, width = 160 }) => ({ id, header, size: width, minSize: 60 })),
    [columns],
  );
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({ features, columns: definitions, data, columnResizeMode: "onChange" });
  const widths = new Map(table.getHeaderGroups()[0]?.headers.map((header) => [header.column.id, header.getSize()]));
  const template = [
    ...(onSelect ? [`${SELECT_WIDTH}px`] : []),
    ...columns.map(({ id }, index) => {
      const width = `${widths.get(id) ?? 160}px`;
      return index === columns.length - 1 ? `minmax(${width}, 1fr)` : width;
    }),
  ].join(" ");

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: hasScrolled ? OVERSCAN.scrolling : OVERSCAN.atRest,
    // The table is no higher than the window. Without a guess the first rows would be drawn twice.
    initialRect: { width: innerWidth, height: innerHeight },
  });
  const shown = virtualizer.getVirtualItems();
  const lastShown = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (lastShown >= 0 && lastShown >= rows.length - 1) onEnd?.();
  }, [lastShown, rows.length, onEnd]);

  const moveTo = (index: number) => {
    const next = Math.min(Math.max(index, 0), rows.length - 1);
    setCursor(next);
    virtualizer.scrollToIndex(next);
  };
  const copyCell = (row: Row) => {
    const text = columns[cell]?.text?.(row);
    if (text === undefined) return;
    void navigator.clipboard.writeText(text).then(() => notifyDone(`Copied ${columns[cell]?.header}`));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // With the control key a letter is a command of the browser.
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target !== scroll.current) return;
    const row = rows[cursor];
    if (event.key === "j" || event.key === "ArrowDown") moveTo(cursor + 1);
    else if (event.key === "k" || event.key === "ArrowUp") moveTo(cursor - 1);
    else if (event.key === "h" || event.key === "ArrowLeft") setCell(Math.max(cell - 1, 0));
    else if (event.key === "l" || event.key === "ArrowRight") setCell(Math.min(cell + 1, columns.length - 1));
    else if (event.key === "c" && row) copyCell(row);
    else if (event.key === "Enter" && row) onOpen?.(row);
    else if (event.key === "x" && row) onSelect?.(rowKey(row));
    else return;
    event.preventDefault();
  };

  return (
    <div
      ref={scroll}
      className={classes.scroll}
      data-outdated={isOutdated || undefined}
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the table scrolls, and its rows are reached with the keyboard
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={() => setScrolled(true)}
    >
      <div role="rowgroup" className={classes.head}>
        <div role="row" aria-rowindex={1} className={classes.row} style={{ gridTemplateColumns: template }}>
          {onSelect ? (
            <div role="columnheader" className={classes.cell}>
              <span className={classes.hidden}>Selected</span>
            </div>
          ) : null}
          {columns.map(({ id, header, hint, align = "left", isSortable }, index) => (
            <div
              key={id}
              role="columnheader"
              title={hint}
              className={classes.cell}
              data-align={align}
              aria-sort={sort?.column === id ? (sort.direction === "asc" ? "ascending" : "descending") : undefined}
            >
              {isSortable && onSort ? (
                <button type="button" className={classes.sort} onClick={() => onSort(nextSort(id, sort))}>
                  {header}
                  {sort?.column === id ? <span aria-hidden>{sort.direction === "asc" ? " ↑" : " ↓"}</span> : null}
                </button>
              ) : (
                header
              )}
              <span
                className={classes.resizer}
                aria-hidden
                onPointerDown={table.getHeaderGroups()[0]?.headers[index]?.getResizeHandler()}
                onPointerUp={() => onResize?.(id, Math.round(widths.get(id) ?? 160))}
              />
            </div>
          ))}
        </div>
      </div>
      {rows.length === 0 ? (
        <div role="rowgroup">
          <div role="row">
            <div role="cell">{empty || <PageSkeleton lines={12} />}</div>
          </div>
        </div>
      ) : null}
      <div role="rowgroup" className={classes.body} style={{ height: virtualizer.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          const key = rowKey(row);
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the table handles the keys for all its rows
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              className={classes.row}
              data-cursor={index === cursor || undefined}
              data-selected={selected?.has(key) || undefined}
              data-opens={onOpen ? true : undefined}
              style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
              onClick={({ target }) => {
                setCursor(index);
                // A link or a switch in the row does its own work, in another tab perhaps.
                if (target instanceof Element && target.closest("a, button, input, label")) return;
                // Somebody who marks text to copy it does not want to open the row.
                if (getSelection()?.toString() === "") onOpen?.(row);
              }}
            >
              {onSelect ? (
                // biome-ignore lint/a11y/useKeyWithClickEvents: only keeps the click from opening the row
                <div role="cell" className={classes.cell} onClick={(event) => event.stopPropagation()}>
                  <input
                    type="checkbox"
                    aria-label={`Select row ${index + 1}`}
                    checked={selected?.has(key) ?? false}
                    onChange={() => onSelect(key)}
                  />
                </div>
              ) : null}
              {columns.map(({ id, cell: draw, align = "left", text }, place) => (
                <div
                  key={id}
                  role="cell"
                  className={classes.cell}
                  data-align={align}
                  data-cursor={(text && index === cursor && place === cell) || undefined}
                >
                  {draw(row)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function nextSort(column: string, sort: Sort | undefined): Sort {
  const isDescending = sort?.column === column && sort.direction === "desc";
  return { column, direction: isDescending ? "asc" : "desc" };
}
