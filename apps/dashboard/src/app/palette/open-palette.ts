const requests = new EventTarget();

/** Opens the palette, from anywhere. */
export function openPalette(): void {
  requests.dispatchEvent(new Event("open"));
}

/** Calls `open` at each request, until the returned function is called. */
export function onPaletteRequest(open: () => void): () => void {
  requests.addEventListener("open", open);
  return () => requests.removeEventListener("open", open);
}
