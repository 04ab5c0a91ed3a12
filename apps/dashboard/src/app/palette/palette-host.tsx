import { useHotkeys } from "@mantine/hooks";
import { lazy, Suspense, useEffect, useState } from "react";
import { paletteRequest } from "../requests.js";

const loadPalette = () => import("./palette.js");
const Palette = lazy(loadPalette);
/** Signs that somebody is there. Ctrl and ⌘ go down before K does, which is time enough to load. */
const SIGNS = ["pointermove", "pointerdown", "keydown"] as const;

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
    const stop = new AbortController();
    const start = () => {
      stop.abort();
      void load();
    };
    for (const sign of SIGNS) window.addEventListener(sign, start, { signal: stop.signal, passive: true });
    return () => stop.abort();
  }, []);
  useHotkeys([["mod+K", paletteRequest.send]], [], true);
  if (!isLoaded) return null;
  return (
    <Suspense fallback={null}>
      <Palette isOpen={isOpen} onClose={() => setOpen(false)} />
    </Suspense>
  );
}
