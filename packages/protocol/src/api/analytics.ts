import { Type } from "typebox";
import { anyValueAs, freeObject } from "./schema.js";

// The calls of the public analytics libraries, in the words of their specification.

const text = (description: string) => Type.Optional(Type.String({ description }));
const object = (description: string) => Type.Optional(freeObject(description));

const WHO = {
  userId: text("Your id of the user: it becomes the `external_id`. It or an `anonymousId` is needed."),
  anonymousId: text("The id of a browser or device."),
};
const ENVELOPE = {
  messageId: text("Names the call, so that one which is sent again counts once."),
  timestamp: text("When it happened; default: now."),
  sentAt: text("When it was sent, by the clock of the sender. It shows how wrong that clock is."),
  context: object("What is known of the page, campaign, device, app and library. It is kept with events."),
  integrations: object("Which connectors may be told of it, by name: `{All: false}` stands for none."),
  writeKey: text("Instead of Basic authentication, in which the key is the user name."),
};

const Identify = Type.Object(
  { ...WHO, traits: object("Attributes of the user. An `email` also identifies the user."), ...ENVELOPE },
  { component: "IdentifyCall", description: "What is known about a user." },
);
const Track = Type.Object(
  {
    ...WHO,
    event: Type.String({ description: "The name of the event." }),
    properties: object("What is known about it."),
    ...ENVELOPE,
  },
  { component: "TrackCall", description: "Something that a user did." },
);
const View = Type.Object(
  { ...WHO, name: text("Of the page or screen."), category: text("Of it."), properties: object("More."), ...ENVELOPE },
  { component: "ViewCall", description: "A page or a screen that a user saw." },
);
const Group = Type.Object(
  {
    ...WHO,
    groupId: Type.String({ description: "Your id of the account: it becomes the `external_id`." }),
    traits: object("Attributes of the account. A `domain` or `website` also identifies the account."),
    ...ENVELOPE,
  },
  { component: "GroupCall", description: "An account, and that the user belongs to it." },
);
const Alias = Type.Object(
  {
    userId: Type.String({ description: "Your id of the user." }),
    previousId: Type.String({ description: "The anonymous id that the user had before." }),
    ...ENVELOPE,
  },
  { component: "AliasCall", description: "A second id of the same user." },
);
const TypedCall = Type.Object(
  { type: Type.Enum(["identify", "track", "page", "screen", "group", "alias"]), ...WHO, ...ENVELOPE },
  { component: "TypedCall", description: "A call, with its type and the fields of that type." },
);
const Batch = Type.Object({
  batch: Type.Array(anyValueAs(TypedCall), { description: "At most 500 kB together, and 32 kB each." }),
  sentAt: ENVELOPE.sentAt,
  context: object("Of all calls that do not say otherwise."),
  integrations: object("Of all calls that do not say otherwise."),
  writeKey: ENVELOPE.writeKey,
});

const response = {
  200: Type.Object({
    success: Type.Boolean(),
    position: Type.Optional(
      Type.String({ description: "Where the calls are in the ingestion log. A page key does not get it." }),
    ),
    accepted: Type.Integer({ description: "How many calls were accepted." }),
    rejected: Type.Array(Type.Object({ index: Type.Integer(), code: Type.String(), message: Type.String() }), {
      description: "The calls that were refused, by their place in the batch, and why.",
    }),
  }),
};

/** What analytics.js asks for before it sends anything. */
const SourceSettings = Type.Object({
  integrations: Type.Object({
    "Segment.io": Type.Object({
      apiKey: Type.String({ description: "The write key." }),
      apiHost: Type.String({ description: "Where calls are sent to, without the protocol." }),
      protocol: Type.Enum(["http", "https"]),
    }),
  }),
  metrics: Type.Object({ sampleRate: Type.Number({ description: "0: the library sends nothing about itself." }) }),
  plan: freeObject("Empty."),
  edgeFunction: freeObject("Empty."),
  middlewareSettings: freeObject("Empty."),
});

export const ANALYTICS_API = {
  "POST /v1/identify": { body: anyValueAs(Identify), response },
  "POST /v1/track": { body: anyValueAs(Track), response },
  "POST /v1/page": { body: anyValueAs(View), response },
  "POST /v1/screen": { body: anyValueAs(View), response },
  "POST /v1/group": { body: anyValueAs(Group), response },
  "POST /v1/alias": { body: anyValueAs(Alias), response },
  "POST /v1/batch": { body: anyValueAs(Batch), response },
  "POST /v1/import": { body: anyValueAs(Batch), response },
  "GET /v1/projects/{key}/settings": {
    params: Type.Object({ key: Type.String({ description: "A write key of the kind `page`." }) }),
    response: { 200: SourceSettings },
  },
};
