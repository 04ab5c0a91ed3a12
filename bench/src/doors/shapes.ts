import { GATEWAY_SHAPES } from "./gateway-shapes.js";
import { HEAD_SHAPES } from "./head-shapes.js";
import { IMPORT_SHAPES } from "./import-shapes.js";
import { REST_SHAPES } from "./rest-shapes.js";
import type { Shape } from "./shape.js";

/** Every shape. They run in this order on one server, so later ones meet what earlier ones have left. */
export const SHAPES: readonly Shape[] = [...GATEWAY_SHAPES, ...REST_SHAPES, ...HEAD_SHAPES, ...IMPORT_SHAPES];
