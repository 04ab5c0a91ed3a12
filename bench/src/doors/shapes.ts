import { EDITOR_SHAPES } from "./editor-shapes.js";
import { GATEWAY_SHAPES } from "./gateway-shapes.js";
import { HEAD_SHAPES } from "./head-shapes.js";
import { IMPORT_SHAPES } from "./import-shapes.js";
import { PAGE_SHAPES } from "./page-shapes.js";
import { PUBLIC_SHAPES, SOCKET_SHAPES } from "./public-shapes.js";
import { REST_SHAPES } from "./rest-shapes.js";
import type { Shape } from "./shape.js";

/**
 * Every shape. They run in this order on one server, so later ones meet what earlier ones have left. The first requests for
 * public pages come first, while nothing is prepared.
 */
export const SHAPES: readonly Shape[] = [
  ...PUBLIC_SHAPES,
  ...SOCKET_SHAPES,
  ...PAGE_SHAPES,
  ...GATEWAY_SHAPES,
  ...REST_SHAPES,
  ...EDITOR_SHAPES,
  ...HEAD_SHAPES,
  ...IMPORT_SHAPES,
];
