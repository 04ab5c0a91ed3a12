import { useEffect, useState } from "react";
import { formatRelative, formatTime } from "./format.js";
import { Tip } from "./tip.js";

/** A time told from now, with the exact one on hover. */
export function TimeText({ time }: { time: string | number | null | undefined }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 30_000);
    return () => clearInterval(timer);
  }, []);
  if (time === null || time === undefined || time === "") return <span>never</span>;
  return (
    <Tip label={formatTime(time)}>
      <time dateTime={new Date(time).toISOString()}>{formatRelative(time)}</time>
    </Tip>
  );
}
