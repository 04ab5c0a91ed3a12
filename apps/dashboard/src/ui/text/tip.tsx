import { Tooltip } from "@mantine/core";
import { cloneElement, type PointerEvent, type ReactElement, type Ref, useRef, useState } from "react";

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
  const target = useRef<HTMLElement>(null);
  const [isOver, setOver] = useState(false);
  const onPointerEnter = ({ pointerType }: PointerEvent) => setOver(pointerType !== "touch");
  return (
    <>
      {cloneElement(children, { ref: target, onPointerEnter, onPointerLeave: () => setOver(false) })}
      {isOver ? <Tooltip target={target} label={label} position={position} defaultOpened /> : null}
    </>
  );
}
