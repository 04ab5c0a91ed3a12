import type { Brand } from "@muster/protocol";
import type { Audience } from "../../../audience/open-audience.js";
import type { Connectors } from "../../../connectors/connectors.js";
import type { Pipeline } from "../../../pipeline/pipeline.js";
import type { Database } from "../../../storage/postgres/database.js";
import type { Questions } from "../../../storage/questions/questions.js";
import type { App } from "../../app-type.js";
import type { AuthenticateOptions } from "../../auth/authenticate.js";
import type { FindMe, ObjectExists, ObjectHandlers } from "../object-handler.js";
import { attributeRoutes } from "./attributes.js";
import { chartRoutes } from "./charts.js";
import { commentObjects, commentRoutes } from "./comments.js";
import { entityObjects, entityRoutes } from "./entities.js";
import { eventBootstrapRoutes } from "./event-bootstrap.js";
import { meRoutes } from "./me.js";
import { searchRoutes } from "./search.js";
import { segmentObjects, segmentRoutes } from "./segments.js";
import { accountObjects, eventObjects, reportRoutes, userObjects } from "./subjects.js";

export interface AudienceRoutesOptions {
  audience: Audience;
  pipeline: Pipeline;
  authentication: AuthenticateOptions;
  brand: Brand;
  findMe: FindMe;
  objectExists: ObjectExists;
  database: Database;
  questions: Questions;
  connectors: Connectors;
}

/** Users, accounts, events, segments, attributes, entities and comments. */
export function audienceRoutes(api: App, options: AudienceRoutesOptions): void {
  const { audience, pipeline, authentication, brand, findMe, objectExists, database, questions, connectors } = options;
  const { search, segments, attributes, entities, charts, subjects } = audience;
  commentRoutes(api, { database, brand, findMe, objectExists });
  meRoutes(api, { authentication, subjects, pipeline, database });
  reportRoutes(api, subjects);
  searchRoutes(api, { search, brand });
  eventBootstrapRoutes(api, { database, questions, brand });
  segmentRoutes(api, { segments, subjects, brand });
  attributeRoutes(api, { attributes, brand });
  chartRoutes(api, { charts, attributes });
  entityRoutes(api, { entities, connectors, brand });
}

export function audienceObjects({
  audience: { subjects, segments, entities },
  pipeline: { intake },
  database,
  questions,
}: Pick<AudienceRoutesOptions, "audience" | "pipeline" | "database" | "questions">): ObjectHandlers {
  return {
    user: userObjects({ subjects, intake }),
    account: accountObjects({ subjects, intake }),
    event: eventObjects(questions),
    comment: commentObjects(database),
    entity: entityObjects(entities),
    users_segment: segmentObjects(segments),
    accounts_segment: segmentObjects(segments),
  };
}
