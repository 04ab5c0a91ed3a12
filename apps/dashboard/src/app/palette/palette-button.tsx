import { Kbd, UnstyledButton } from "@mantine/core";
import { SearchIcon } from "@primer/octicons-react";
import { paletteRequest } from "../requests.js";
import classes from "./palette.module.css";

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

/** For people who do not know the keys of the palette. */
export function PaletteButton() {
  return (
    <UnstyledButton className={classes.button} onClick={paletteRequest.send}>
      <SearchIcon size={14} />
      <span className={classes.words}>Find or do</span>
      <Kbd size="xs">{isMac ? "⌘K" : "Ctrl K"}</Kbd>
    </UnstyledButton>
  );
}
