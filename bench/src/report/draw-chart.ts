import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import type { Axis, Chart } from "../lib/bench-result.js";

const WIDTH = 760;
const HEIGHT = 300;
const LEGEND_ROW = 18;
const DASHES = "5 3";
/** Told apart also by people who see few colours (Okabe and Ito). */
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"];

/**
 * A chart as the text of an SVG file, with a white background: it is shown as an image, on light and on dark pages, and an
 * image does not know the colours of its page.
 */
export function drawChart({ title, x, y, lines }: Chart): string {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const names = lines.map(({ name }) => name);
  const points = lines.flatMap(({ name, points: all }) => all.map(([at, value]) => ({ name, at, value })));
  const drawn = Plot.plot({
    // The library wants the document of a browser. This one has what the library uses.
    document: document as unknown as Document,
    width: WIDTH,
    height: HEIGHT,
    marginTop: 30,
    marginBottom: 42,
    marginLeft: 60,
    marginRight: 20,
    style: { background: "white", color: "#1f2328", fontSize: "12px", fontFamily: "system-ui, sans-serif" },
    x: axisOf(x),
    y: { ...axisOf(y), grid: true, ...(y.isLogarithmic ? {} : { zero: true }) },
    color: { domain: names, range: lines.map((_, index) => colourOf(index)) },
    marks: [
      ...[false, true].map((isDashed) =>
        Plot.line(
          points.filter(({ name }) => isDashedLine(names.indexOf(name)) === isDashed),
          { x: "at", y: "value", stroke: "name", strokeWidth: 1.75, ...(isDashed ? { strokeDasharray: DASHES } : {}) },
        ),
      ),
      ...(points.length <= 60 ? [Plot.dot(points, { x: "at", y: "value", fill: "name", r: 2.5 })] : []),
    ],
  });
  return withLegend(drawn.outerHTML, title, names);
}

function axisOf({ label, isLogarithmic = false }: Axis): Plot.ScaleOptions {
  return { label, ...(isLogarithmic ? { type: "log" as const, tickFormat: ",", ticks: 5 } : {}) };
}

/** After the last colour they are used again, with dashes. */
function isDashedLine(index: number): boolean {
  return index >= COLOURS.length;
}

function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length] ?? "#000000";
}

/** Puts the drawing below a title and the names of its lines. The library draws its legend as HTML, which no image can hold. */
function withLegend(svg: string, title: string, names: readonly string[]): string {
  const columns = names.length > COLOURS.length ? 2 : 1;
  const rows = Math.ceil(names.length / columns);
  const top = 28 + rows * LEGEND_ROW;
  const height = top + HEIGHT;
  const font = 'font-family="system-ui, sans-serif" fill="#1f2328"';
  const legend = names.map((name, index) => {
    const x = 12 + Math.floor(index / rows) * (WIDTH / columns);
    const y = 34 + (index % rows) * LEGEND_ROW;
    const dashes = isDashedLine(index) ? ` stroke-dasharray="${DASHES}"` : "";
    const line = `<line x1="${x}" x2="${x + 18}" y1="${y}" y2="${y}" stroke-width="3" stroke="${colourOf(index)}"${dashes}/>`;
    return `${line}<text x="${x + 26}" y="${y + 4}" font-size="12" ${font}>${escapeXml(name)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="white"/>`,
    `<text x="12" y="18" font-size="14" font-weight="600" ${font}>${escapeXml(title)}</text>`,
    ...legend,
    `<g transform="translate(0 ${top})">${svg}</g>`,
    "</svg>",
    "",
  ].join("\n");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
