import { Type } from "typebox";

/** The header by which a sender marks a request that it may send again. */
export const IdempotencyHeaders = Type.Object({
  "Idempotency-Key": Type.Optional(
    Type.String({
      description: "A request with a key that was used before changes nothing, and gets the first answer again.",
    }),
  ),
});
