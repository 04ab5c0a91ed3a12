import { useHotkeys } from "@mantine/hooks";
import { lazy, Suspense, useEffect, useState } from "react";
import { paletteRequest } from "../requests.js";

const loadPalette = () => import("./palette.js");
const Palette = lazy(loadPalette);
/** After the first screen, which is needed at once. */
const LOAD_AFTER_MS = 2_000;

/** Listens for ⌘K and Ctrl-K. The palette is loaded before it is opened, because people type at once. */
export function PaletteHost() {
  const [isOpen, setOpen] = useState(false);
  const [isLoaded, setLoaded] = useState(false);
  useEffect(
    () =>
      paletteRequest.listen(() => {
        setLoaded(true);
        setOpen(true);
      }),
    [],
  );
  useEffect(() => {
    // A failure here is no loss: opening the palette loads it again.
    const load = () =>
      loadPalette().then(
        () => setLoaded(true),
        () => undefined,
      );
    const timer = setTimeout(load, LOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  useHotkeys([["mod+K", paletteRequest.send]], [], true);
  if (!isLoaded) return null;
  return (
    <Suspense fallback={null}>
      <Palette isOpen={isOpen} onClose={() => setOpen(false)} />
    </Suspense>
  );
}
