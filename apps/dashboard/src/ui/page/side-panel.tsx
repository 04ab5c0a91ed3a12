import { CloseButton, Title } from "@mantine/core";
import { type ReactNode, useEffect, useId, useRef } from "react";
import classes from "./side-panel.module.css";

interface SidePanelProps {
  /** What the panel is about; undefined closes it. Keep it in the address with `useUrlState`. */
  title: ReactNode | undefined;
  onClose: () => void;
  /** Pixels. */
  width?: number;
  children: ReactNode;
}

/**
 * Details beside a list. The page behind it stays bright and usable, so that the next row is one click or one key away.
 * On a phone it covers the screen.
 */
export function SidePanel({ title, ...props }: SidePanelProps) {
  return title === undefined ? null : <OpenPanel title={title} {...props} />;
}

function OpenPanel({ title, onClose, width = 560, children }: SidePanelProps) {
  const panel = useRef<HTMLElement>(null);
  const titleId = useId();
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus({ preventScroll: true });
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !isTakenByOthers(event)) close.current();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <section
      ref={panel}
      role="dialog"
      aria-labelledby={titleId}
      tabIndex={-1}
      className={classes.panel}
      style={{ width }}
    >
      <header className={classes.head}>
        <Title order={2} id={titleId} className={classes.title}>
          {title}
        </Title>
        <CloseButton onClick={onClose} aria-label="Close the panel" />
      </header>
      <div className={classes.body}>{children}</div>
    </section>
  );
}

/** A list that is open in front of the panel, or a dialog, closes first. Mantine marks the inputs of open lists. */
function isTakenByOthers({ target, defaultPrevented }: KeyboardEvent): boolean {
  if (defaultPrevented || document.querySelector('[aria-modal="true"]')) return true;
  return target instanceof Element && target.getAttribute("data-mantine-stop-propagation") === "true";
}
