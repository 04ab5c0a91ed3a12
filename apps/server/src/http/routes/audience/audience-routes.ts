import type { Brand } from "@muster/protocol";
import type { Audience } from "../../../audience/open-audience.js";
import type { SegmentImpact } from "../../../deliveries/messages/segment-impact.js";
import type { App } from "../../app-type.js";
import type { AuthenticateOptions } from "../../auth/authenticate.js";
import type { NoteIncomplete } from "../../hooks/incomplete-answers.js";
import type { FindMe, ObjectHandlers, RequireObject } from "../../object-handler.js";
import { attributeFigureRoutes } from "./attribute-figures.js";
import { attributeRoutes } from "./attributes.js";
import { chartRoutes } from "./charts.js";
import { commentObjects, commentRoutes } from "./comments.js";
import { type ComputedAttributeRoutesOptions, computedAttributeRoutes } from "./computed-attributes.js";
import { entityObjects, entityRoutes } from "./entities.js";
import { erasureRoutes } from "./erasures.js";
import { eventNameRoutes } from "./event-names.js";
import { eventObjects, eventRoutes } from "./events.js";
import { insightRoutes } from "./insights.js";
import { meRoutes } from "./me.js";
import { mergeRoutes } from "./merges.js";
import { purposeRoutes } from "./purposes.js";
import { savedInsightRoutes } from "./saved-insights.js";
import { searchRoutes } from "./search.js";
import { segmentDraftRoutes } from "./segment-drafts.js";
import { segmentHistoryRoutes } from "./segment-history.js";
import { segmentObjects, segmentRoutes } from "./segments.js";
import { subjectHistoryRoutes } from "./subject-history.js";
import { subjectSearchRoutes } from "./subject-search.js";
import { accountObjects, reportRoutes, userObjects } from "./subjects.js";
import { viewRoutes } from "./views.js";

export interface AudienceRoutesOptions {
  audience: Audience;
  segmentImpact: SegmentImpact;
  deleteAttribute: ComputedAttributeRoutesOptions["deleteValues"];
  authentication: AuthenticateOptions;
  brand: Brand;
  findMe: FindMe;
  requireObject: RequireObject;
  noteIncomplete: NoteIncomplete;
}

/** Routes for users, accounts, events, segments, attributes, entities, comments and views. */
export function audienceRoutes(api: App, options: AudienceRoutesOptions): void {
  const { audience, authentication, brand, findMe, requireObject, noteIncomplete } = options;
  const { search, segments, attributes, entities, charts, subjects, events, comments, erasures } = audience;
  commentRoutes(api, { comments, brand, findMe, requireObject });
  meRoutes(api, { authentication, subjects, noteIncomplete });
  reportRoutes(api, { subjects, noteIncomplete });
  subjectHistoryRoutes(api, {
    subjects,
    past: audience.subjectPast,
    attributes: audience.subjectAttributes,
    identity: audience.subjectIdentity,
    timeline: audience.timeline,
    brand,
    noteIncomplete,
  });
  mergeRoutes(api, { subjects, merges: audience.subjectMerges, brand });
  erasureRoutes(api, { erasures, brand });
  searchRoutes(api, { search, brand });
  subjectSearchRoutes(api, { subjectSearch: audience.subjectSearch, brand });
  computedAttributeRoutes(api, {
    computed: audience.computedAttributes,
    subjects,
    deleteValues: options.deleteAttribute,
    brand,
  });
  purposeRoutes(api, { purposes: audience.purposes, brand });
  viewRoutes(api, { views: audience.views, brand });
  eventRoutes(api, { events, brand });
  segmentRoutes(api, { segments, subjects, brand, noteIncomplete });
  segmentDraftRoutes(api, {
    drafts: audience.segmentDrafts,
    counts: audience.segmentCounts,
    impact: options.segmentImpact,
    noteIncomplete,
  });
  segmentHistoryRoutes(api, { history: audience.segmentHistory, brand, noteIncomplete });
  attributeRoutes(api, { attributes, brand });
  attributeFigureRoutes(api, { attributeFigures: audience.attributeFigures, brand, noteIncomplete });
  eventNameRoutes(api, { ...audience, brand, noteIncomplete });
  chartRoutes(api, { charts, attributes });
  insightRoutes(api, { insights: audience.insights, insightUsers: audience.insightUsers, noteIncomplete });
  savedInsightRoutes(api, { savedInsights: audience.savedInsights, brand });
  entityRoutes(api, { entities, brand });
}

/** What `/:id` can do with users, accounts, events, segments, entities and comments. */
export function audienceObjects({ subjects, segments, entities, events, comments }: Audience): ObjectHandlers {
  return {
    user: userObjects(subjects),
    account: accountObjects(subjects),
    event: eventObjects(events),
    comment: commentObjects(comments),
    entity: entityObjects(entities),
    users_segment: segmentObjects(segments),
    accounts_segment: segmentObjects(segments),
    // They have routes of their own (computed-attributes.ts).
    computed_attribute: {},
  };
}
