import { onDoor, SEARCHES } from "./rest-shapes.js";
import type { Shape } from "./shape.js";

/** What an editor can send from the dashboard: searches, segments, comments and views. */
export const EDITOR_SHAPES: Shape[] = [
  ...SEARCHES.map(
    (shape): Shape => ({
      ...shape,
      door: "editor",
      calls: (maker) => shape.calls(maker).map((call) => ({ ...call, as: "editor" })),
    }),
  ),
  ...onDoor("editor", "POST", "/segments/preview", "editor"),
  ...onDoor("editor", "POST", "/views", "editor"),
];
