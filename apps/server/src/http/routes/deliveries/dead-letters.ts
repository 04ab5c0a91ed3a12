import { type Brand, Refusal } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { freeObject } from "@muster/protocol/api/schema";
import { type Static, Type } from "typebox";
import type { DeadLetters } from "../../../deliveries/shown/dead-letters.js";
import type { DeadLetterFilter } from "../../../domain/delivery/dead-letter.js";
import type { App } from "../../app-type.js";
import { type Caller, nameOf } from "../../auth/caller.js";
import { describePage, limitsOf } from "../pagination.js";

export interface DeadLetterRoutesOptions {
  deadLetters: DeadLetters;
  brand: Brand;
}

// Larger ids are not exact in JSON, and the database's own limit is not much higher.
const LARGEST_ID = Number.MAX_SAFE_INTEGER;

const Filter = Type.Object({
  connector_id: Type.Optional(Type.String({ description: "The operator alone; a connector sees its own." })),
  channel: Type.Optional(Type.String({ description: "Such as `user:update`." })),
  entity_id: Type.Optional(
    Type.String({ description: "The user, account or other object that the message is about." }),
  ),
  reason: Type.Optional(Type.String({ description: "Part of the reason." })),
  cause: Type.Optional(Type.String({ description: "The cause of a group." })),
  up_to: Type.Optional(
    Type.Integer({ maximum: LARGEST_ID, description: "Only letters up to this id: those that were seen." }),
  ),
});

const LETTERS_AT_ONCE = 10_000;

const Selection = Type.Intersect([
  Filter,
  Type.Object({
    ids: Type.Optional(Type.Array(Type.Integer({ maximum: LARGEST_ID }), { minItems: 1, maxItems: LETTERS_AT_ONCE })),
  }),
]);

const DeadLetterRecord = Type.Object(
  {
    id: Type.Integer(),
    connector_id: Type.String(),
    channel: Type.String(),
    entity_id: Type.String(),
    reason: Type.String(),
    attempts: Type.Integer(),
    created_at: Type.String({ format: "date-time" }),
    cause: Type.String({ description: "Why, in words that are the same for all letters of a group." }),
    edited_by: Type.Union([Type.String(), Type.Null()], { description: "Who has edited the message." }),
    edited_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
  },
  { component: "DeadLetter", description: "A message that could not be delivered." },
);

const DeadLetterDetails = Type.Object(
  {
    ...DeadLetterRecord.properties,
    url: Type.String({ description: "The path of the subscription." }),
    request: Type.Object(
      {
        url: Type.String(),
        notification_id: Type.String(),
        messages: Type.Integer({ description: "How many messages the call had." }),
        sent_at: Type.String(),
      },
      { description: "The last call that failed." },
    ),
    answer: Type.Union([Type.Object({ status: Type.Integer(), body: Type.String() }), Type.Null()], {
      description: "What the connector answered; null when there was no answer.",
    }),
    message: Type.Unsafe<object>(freeObject("The message as it is stored.")),
  },
  { component: "DeadLetterDetails", description: "A dead letter, its message and the last call." },
);

const GroupRecord = Type.Object(
  {
    connector_id: Type.String(),
    cause: Type.String(),
    letters: Type.Integer(),
    first_at: Type.String({ format: "date-time" }),
    last_at: Type.String({ format: "date-time" }),
    newest_id: Type.Integer({ description: "To retry or discard no letters that came later: `up_to`." }),
  },
  { component: "DeadLetterGroup", description: "The dead letters of a connector with the same cause." },
);

const Id = Type.Object({ id: Type.Integer({ maximum: LARGEST_ID, description: "The number of the dead letter." }) });

/** Messages that could not be delivered: to look at, to send again, to discard. */
export function deadLetterRoutes(app: App, { deadLetters, brand }: DeadLetterRoutesOptions): void {
  app.get(
    "/dead_letters",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "Messages that could not be delivered, the latest first",
        querystring: Type.Intersect([PageQuery, Filter]),
        response: { 200: Type.Array(DeadLetterRecord) },
      },
    },
    async (request, reply) => {
      const filter = filterOf(request.query, request.caller);
      const page = limitsOf(request.query);
      const { total, letters } = await deadLetters.list(request.caller.organization.id, filter, page);
      describePage(request, reply, brand, request.query, total);
      return letters;
    },
  );

  app.get(
    "/dead_letters/groups",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "Dead letters by their causes, the largest groups first",
        querystring: Type.Intersect([PageQuery, Filter]),
        response: { 200: Type.Array(GroupRecord) },
      },
    },
    async (request, reply) => {
      const filter = filterOf(request.query, request.caller);
      const found = await deadLetters.groups(request.caller.organization.id, filter, limitsOf(request.query));
      describePage(request, reply, brand, request.query, found.total);
      return found.groups;
    },
  );

  app.get(
    "/dead_letters/:id",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "A dead letter with its message, the last request and its answer",
        params: Id,
        response: { 200: DeadLetterDetails },
      },
    },
    async ({ caller, params }) => {
      const letter = await deadLetters.find(caller.organization.id, params.id, filterOf({}, caller));
      if (!letter) throw new Refusal("not_found", `There is no dead letter ${params.id}.`);
      return letter;
    },
  );

  app.put(
    "/dead_letters/:id",
    {
      config: { access: "connector", hasPersonalBody: true },
      schema: {
        tags: ["deliveries"],
        summary: "Edit the message of a dead letter before it is sent again",
        description:
          "The message keeps its ids. It is then sent as it is: it does not get the present state of its user or account.",
        params: Id,
        body: Type.Object({ message: freeObject("The whole message, as reading the dead letter shows it.") }),
        response: { 200: DeadLetterDetails },
      },
    },
    async ({ caller, params, body }) => {
      const edit = { message: body.message, by: nameOf(caller) };
      const letter = await deadLetters.edit(caller.organization.id, params.id, filterOf({}, caller), edit);
      if (!letter) throw new Refusal("not_found", `There is no dead letter ${params.id}.`);
      return letter;
    },
  );

  app.post(
    "/dead_letters/retry",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "Send dead letters again: those of `ids`, or all that match",
        description:
          "Each contains the same changes and events as before, and the user or account as it is now. One that was edited is sent as it is.",
        body: Type.Intersect([
          Selection,
          Type.Object({
            limit: Type.Optional(
              Type.Integer({ minimum: 1, maximum: LETTERS_AT_ONCE, description: "At most so many. Default: all." }),
            ),
          }),
        ]),
        response: {
          200: Type.Object({
            retried: Type.Integer(),
            left: Type.Optional(
              Type.Integer({ description: "How many that match are left. Only when `limit` is given." }),
            ),
          }),
        },
      },
    },
    ({ caller, body }) => deadLetters.retry(caller.organization.id, filterOf(body, caller), body.limit),
  );

  app.post(
    "/dead_letters/discard",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "Discard dead letters for good: those of `ids`, or all that match",
        body: Selection,
        response: { 200: Type.Object({ discarded: Type.Integer() }) },
      },
    },
    async ({ caller, body }) => ({
      discarded: await deadLetters.discard(caller.organization.id, filterOf(body, caller)),
    }),
  );
}

/** A connector sees its own dead letters; the operator sees all of them. */
function filterOf(given: Static<typeof Selection>, caller: Caller): DeadLetterFilter {
  const { ids, channel, entity_id: objectId, reason, cause, up_to: upTo } = given;
  const connectorId = caller.kind === "connector" ? caller.connector.id : given.connector_id;
  return {
    ...(ids ? { ids } : {}),
    ...(connectorId === undefined ? {} : { connectorId }),
    ...(channel === undefined ? {} : { channel }),
    ...(objectId === undefined ? {} : { objectId }),
    ...(reason === undefined ? {} : { reason }),
    ...(cause === undefined ? {} : { cause }),
    ...(upTo === undefined ? {} : { upTo }),
  };
}
