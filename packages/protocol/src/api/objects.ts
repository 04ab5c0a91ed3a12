import { type Static, Type } from "typebox";
import { Comment, CommentChange } from "./comments.js";
import { Connector, ConnectorChange } from "./connectors.js";
import { Entity, EntityChange } from "./entities.js";
import { Event } from "./events.js";
import { Job } from "./jobs.js";
import { Organization, OrganizationChange } from "./organizations.js";
import { Deployment, DeploymentChange, Platform, PlatformChange } from "./platforms.js";
import { anyObjectAs, nullable } from "./schema.js";
import { Segment, SegmentChange } from "./segments.js";
import { Account, Removed, User, UserChange } from "./subjects.js";

export const AnyObject = Type.Union(
  [Organization, Connector, User, Account, Event, Segment, Comment, Entity, Job, Platform, Deployment],
  {
    component: "AnyObject",
    description: "The object. The id has the type of the object in it, so an id always gives the same kind.",
  },
);
export type AnyObject = Static<typeof AnyObject>;

export const ObjectChange = Type.Union(
  [
    OrganizationChange,
    UserChange,
    ConnectorChange,
    SegmentChange,
    EntityChange,
    CommentChange,
    PlatformChange,
    DeploymentChange,
  ],
  {
    component: "ObjectChange",
    description:
      "What to change, by the type of the object. Attributes of users and accounts are changed with `traits` entries, not here.",
  },
);
export type ObjectChange = Static<typeof ObjectChange>;

export const RemovedObject = Type.Union([Removed, Job, Organization], {
  component: "RemovedObject",
  description: "What was removed. A job is canceled instead, and stays. An organization is removed bit by bit.",
});
export type RemovedObject = Static<typeof RemovedObject>;

const params = Type.Object({ id: Type.String({ description: "The id of an object, or `me`, `app` or `org`." }) });
const change = { params, body: nullable(anyObjectAs(ObjectChange)), response: { 200: anyObjectAs(AnyObject) } };

export const OBJECTS_API = {
  "GET /api/v1/{id}": { params, response: { 200: anyObjectAs(AnyObject) } },
  "PUT /api/v1/{id}": change,
  "POST /api/v1/{id}": change,
  "DELETE /api/v1/{id}": {
    params,
    querystring: Type.Object(
      { confirm: Type.Optional(Type.String({ description: "To delete an organization: its namespace." })) },
      { additionalProperties: true },
    ),
    response: { 200: anyObjectAs(RemovedObject) },
  },
};
