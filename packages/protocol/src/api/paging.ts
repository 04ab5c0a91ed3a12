import { type Static, Type } from "typebox";
import { withDefault } from "./schema.js";

const MAX_PER_PAGE = 1_000;

/** The query string of a list that always comes in pages. */
export const PageQuery = Type.Object({
  page: withDefault(1, Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Page to retrieve." })),
  per_page: withDefault(30, Type.Integer({ minimum: 1, maximum: MAX_PER_PAGE, description: "Items per page." })),
});

export type PageQuery = Static<typeof PageQuery>;

const ALL_WITHOUT = "Without `page` and `per_page` the answer has all items.";

/** For collections that old clients expect whole: without these parameters the answer has all items. */
export const OptionalPageQuery = Type.Object({
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: `Page to retrieve. ${ALL_WITHOUT}` }),
  ),
  per_page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_PER_PAGE, description: `Items per page. ${ALL_WITHOUT}` }),
  ),
});
