import { useEffect, useRef } from "react";
import classes from "./palette.module.css";
import type { PaletteItem } from "./palette-item.js";

interface PaletteOptionProps {
  id: string;
  item: PaletteItem;
  isSelected: boolean;
  onPoint: () => void;
  onRun: () => void;
}

/** A line of the palette. The keyboard stays in the search box, which says which line is selected. */
export function PaletteOption({ id, item: { label, description }, isSelected, onPoint, onRun }: PaletteOptionProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isSelected) place.current?.scrollIntoView({ block: "nearest" });
  }, [isSelected]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search box handles the keys
    <div
      ref={place}
      id={id}
      role="option"
      aria-selected={isSelected}
      tabIndex={-1}
      className={classes.option}
      onPointerMove={onPoint}
      onClick={onRun}
    >
      <span className={classes.name}>{label}</span>
      {description ? <span className={classes.note}>{description}</span> : null}
    </div>
  );
}
