import classes from "./sparkline.module.css";

const WIDTH = 96;
const HEIGHT = 20;

/** A small line without axes. The label says in words what it shows. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const highest = Math.max(...values, 1);
  const lowest = Math.min(...values, highest);
  const range = highest - lowest || 1;
  const points = values.map((value, index) => {
    const x = values.length < 2 ? WIDTH : (index / (values.length - 1)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - 1 - ((value - lowest) / range) * (HEIGHT - 2)).toFixed(1)}`;
  });
  return (
    <svg className={classes.line} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img">
      <title>{label}</title>
      <polyline points={points.join(" ")} />
    </svg>
  );
}
