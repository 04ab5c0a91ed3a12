import { Tooltip, type TooltipProps } from "@mantine/core";
import { cloneElement, type PointerEvent, type ReactElement, type ReactNode, type Ref, useRef, useState } from "react";
import classes from "./tip.module.css";

interface TipTarget {
  ref?: Ref<HTMLElement>;
  onPointerEnter?: (event: PointerEvent) => void;
  onPointerLeave?: () => void;
}

interface TipProps {
  label: string;
  position?: "top" | "top-start";
  children: ReactElement<TipTarget>;
}

/**
 * A tooltip that is made when the pointer comes, for what is in every row of a list: a hundred tooltips that nobody sees have
 * effects and listeners all the same.
 */
export function Tip({ label, position = "top", children }: TipProps) {
  return <OnHover tooltip={{ label, position }}>{children}</OnHover>;
}

/** Somebody whose pointer only passes wants to see nothing, and asks the server for nothing. */
const REST_MS = 250;

interface PeekProps {
  card: ReactNode;
  children: ReactElement<TipTarget>;
}

/** A card beside a part of a row, made when the pointer rests there. Nothing in it can be clicked. */
export function Peek({ card, children }: PeekProps) {
  return (
    <OnHover delayMs={REST_MS} tooltip={{ label: card, position: "right", w: 340, className: classes.card }}>
      {children}
    </OnHover>
  );
}

interface OnHoverProps {
  tooltip: Pick<TooltipProps, "label" | "position" | "w" | "className">;
  delayMs?: number;
  children: ReactElement<TipTarget>;
}

function OnHover({ tooltip, delayMs = 0, children }: OnHoverProps) {
  const target = useRef<HTMLElement>(null);
  const timer = useRef(0);
  const [isOver, setOver] = useState(false);
  const onPointerEnter = ({ pointerType }: PointerEvent) => {
    if (pointerType !== "touch") timer.current = window.setTimeout(() => setOver(true), delayMs);
  };
  const onPointerLeave = () => {
    clearTimeout(timer.current);
    setOver(false);
  };
  return (
    <>
      {cloneElement(children, { ref: target, onPointerEnter, onPointerLeave })}
      {isOver ? <Tooltip {...tooltip} target={target} defaultOpened /> : null}
    </>
  );
}
