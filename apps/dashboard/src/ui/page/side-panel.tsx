import "@mantine/core/styles/Drawer.css";
import { Drawer } from "@mantine/core";
import type { ReactNode } from "react";

interface SidePanelProps {
  /** What the panel is about; undefined closes it. Keep it in the address with `useUrlState`. */
  title: ReactNode | undefined;
  onClose: () => void;
  width?: number | string;
  children: ReactNode;
}

/** Details beside a list. On a phone it covers the screen. */
export function SidePanel({ title, onClose, width = 560, children }: SidePanelProps) {
  return (
    <Drawer
      opened={title !== undefined}
      onClose={onClose}
      title={title}
      position="right"
      size={width}
      overlayProps={{ backgroundOpacity: 0.08 }}
      closeButtonProps={{ "aria-label": "Close the panel" }}
    >
      {children}
    </Drawer>
  );
}
