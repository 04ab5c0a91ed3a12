import { Type } from "typebox";
import { REPORTED_RESULTS } from "../reported-results.js";

/** What became of one message, as the connector tells it: in the answer to a notification, or later. */
export const MessageReport = Type.Object(
  {
    message_id: Type.String({ maxLength: 200 }),
    result: Type.Enum([...REPORTED_RESULTS], { description: `\`${REPORTED_RESULTS.join("`, `")}\`.` }),
    status: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 999, description: "HTTP status of the service's answer." }),
    ),
    body: Type.Optional(Type.String({ description: "What the service answered; 2 kB are kept." })),
    reason: Type.Optional(Type.String({ description: "Why, as a sentence." })),
  },
  { component: "MessageReport", description: "What became of a message, told after the answer to its call." },
);
