import { type Brand, typeOfId } from "@muster/protocol";
import type { Audience } from "../audience/open-audience.js";
import type { ConnectorServices } from "../connectors/open-connectors.js";
import type { DeliveryServices } from "../deliveries/open-deliveries.js";
import type { Addresses } from "../domain/organizations/addresses.js";
import type { JobServices } from "../jobs/open-jobs.js";
import type { MemberServices } from "../members/open-members.js";
import type { Organizations } from "../organizations/organizations.js";
import type { Overview } from "../overview/overview.js";
import type { RefusedAttributes } from "../pipeline/accept/refused-attributes.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import type { Problems } from "../pipeline/problems.js";
import type { RejectedEntries } from "../pipeline/rejected-entries.js";
import type { PlatformServices } from "../platforms/open-platforms.js";
import type { Threads } from "../runtime/threads/threads.js";
import { VERSION } from "../runtime/version.js";
import type { App } from "./app-type.js";
import type { AuthenticateOptions } from "./auth/authenticate.js";
import type { SessionCookie } from "./auth/session-cookie.js";
import { SignInLimits } from "./auth/sign-in-limits.js";
import type { VisitorCookies } from "./auth/visitor-cookies.js";
import { auditChanges } from "./hooks/audit-changes.js";
import { noteIncompleteAnswers } from "./hooks/incomplete-answers.js";
import { limitEndUsers, type PageLimits } from "./hooks/page-limits.js";
import { requireUsableBody } from "./hooks/usable-input.js";
import { waitForPosition } from "./hooks/wait-for-position.js";
import { WaitingReaders } from "./hooks/waiting-readers.js";
import type { FindMe, ObjectHandlers, RequireObject } from "./object-handler.js";
import { describeApi } from "./reference/openapi.js";
import { Reference } from "./reference/reference.js";
import { audienceObjects, audienceRoutes } from "./routes/audience/audience-routes.js";
import { findMe } from "./routes/audience/find-me.js";
import { bundledPageRoutes } from "./routes/connectors/bundled-pages.js";
import { connectorsObjects, connectorsRoutes } from "./routes/connectors/connectors-routes.js";
import type { DashboardFiles } from "./routes/dashboard/dashboard-files.js";
import { dashboardRoutes } from "./routes/dashboard/dashboard-routes.js";
import { deliveriesRoutes } from "./routes/deliveries/deliveries-routes.js";
import { publicKeyRoutes } from "./routes/deliveries/keys.js";
import { Guide } from "./routes/guide/guide.js";
import { guideRoutes } from "./routes/guide/guide-routes.js";
import { analyticsRoutes } from "./routes/ingestion/analytics.js";
import { AnalyticsScript, analyticsScriptRoutes } from "./routes/ingestion/analytics-script.js";
import { gatewayRoutes } from "./routes/ingestion/gateway.js";
import { ingestionRoutes } from "./routes/ingestion/ingestion-routes.js";
import { jobFileRoutes, jobsObjects, jobsRoutes } from "./routes/jobs/jobs-routes.js";
import { membersRoutes } from "./routes/members/members-routes.js";
import { notFound } from "./routes/not-found.js";
import { objectRoutes } from "./routes/objects.js";
import {
  type OperationsRoutesOptions,
  operationsRoutes,
  operatorRoutes,
} from "./routes/operations/operations-routes.js";
import { organizationObjects, organizationRoutes } from "./routes/organizations/organizations.js";
import { overviewRoutes } from "./routes/overview/overview.js";
import { packagesRoutes } from "./routes/packages/packages-routes.js";
import { ServedPackages } from "./routes/packages/served-packages.js";
import { BrowserScript } from "./routes/pages/browser-script.js";
import { pageRoutes } from "./routes/pages/page-routes.js";
import { remoteRoutes } from "./routes/pages/remote-routes.js";
import { scriptRoutes } from "./routes/pages/script-routes.js";
import { shareRoutes } from "./routes/pages/share-routes.js";
import { snippetRoutes } from "./routes/pages/snippet-routes.js";
import { userSessionRoutes } from "./routes/pages/user-session-routes.js";
import { platformsObjects, platformsRoutes } from "./routes/platforms/platforms-routes.js";
import { resolveAlias } from "./routes/resolve-alias.js";

/** What routes need, by the part of the server that provides it. */
export interface RoutesOptions {
  brand: Brand;
  addresses: Addresses;
  authentication: AuthenticateOptions;
  organizations: Organizations;
  members: MemberServices;
  sessionCookie: SessionCookie;
  visitorCookies: VisitorCookies;
  connectors: ConnectorServices;
  deliveries: DeliveryServices;
  platforms: PlatformServices;
  jobs: JobServices;
  audience: Audience;
  pipeline: Pipeline;
  rejectedEntries: RejectedEntries;
  refusedAttributes: RefusedAttributes;
  problems: Problems;
  overview: Overview;
  operations: OperationsRoutesOptions;
  gateway: { limitBytes: number; maxEntries: number };
  pageLimits: PageLimits;
  dashboard: DashboardFiles;
  threads: Threads;
}

const API = "/api/v1";

/** Registers every route of the server. */
export async function registerRoutes(app: App, options: RoutesOptions): Promise<void> {
  const { brand, addresses, authentication, organizations, connectors, deliveries, platforms, jobs } = options;
  const { members, sessionCookie, visitorCookies } = options;
  const { audience, pipeline, rejectedEntries, refusedAttributes, problems, overview } = options;
  const { operations, gateway, pageLimits, dashboard, threads } = options;
  const { intake, recent } = pipeline;
  const handlers: ObjectHandlers = {
    organization: organizationObjects(organizations, addresses),
    ...connectorsObjects(connectors),
    ...jobsObjects(jobs),
    ...audienceObjects(audience),
    ...platformsObjects(platforms),
  };
  const findMyId: FindMe = async (caller) => (await findMe(audience.subjects, caller))?.id;
  const requireObject: RequireObject = async (given, caller) => {
    const id = await resolveAlias(given, caller, findMyId);
    const type = id === undefined ? undefined : typeOfId(id);
    if (id === undefined || !type || !(await handlers[type]?.read?.(id, caller))) throw notFound("object", given);
    return id;
  };

  limitEndUsers(app, pageLimits);
  const noteIncomplete = noteIncompleteAnswers(audience.search, brand);
  const description = { version: VERSION, brand };
  await describeApi(app, description);
  await operationsRoutes(app, new Reference(app, { ...description, threads }), operations);
  const readers = new WaitingReaders();
  waitForPosition(app, { pipeline, readers, brand });
  const { limitBytes, maxEntries } = gateway;
  gatewayRoutes(app, { intake, brand, limitBytes });
  const { writeKeys } = connectors;
  await analyticsRoutes(app, { writeKeys, intake, limits: pageLimits, addresses, brand, maxEntries });
  await publicKeyRoutes(app, deliveries.signer);
  await bundledPageRoutes(app, connectors.bundledPages, brand);
  const script = new BrowserScript(brand);
  scriptRoutes(app, script);
  packagesRoutes(app, { packages: new ServedPackages(), addresses });
  analyticsScriptRoutes(app, new AnalyticsScript());
  await dashboardRoutes(app, dashboard);
  guideRoutes(app, new Guide());
  await app.register(
    async (api: App) => {
      api.addHook("preValidation", requireUsableBody);
      auditChanges(api, { auditLog: members.auditLog, handlers });
      organizationRoutes(api, { organizations, addresses, brand });
      membersRoutes(api, { ...members, organizations, sessionCookie, signInLimits: new SignInLimits(), brand });
      connectorsRoutes(api, { ...connectors, brand, addresses, jobs: jobs.jobs, problems });
      deliveriesRoutes(api, { ...deliveries, connectors: connectors.connectors, brand, requireObject });
      platformsRoutes(api, { ...platforms, brand, limits: pageLimits });
      snippetRoutes(api, { brand, addresses, platforms: platforms.platforms, script });
      const signedIn = { authentication, readers, subjects: audience.subjects, signIns: audience.signIns };
      remoteRoutes(api, { ...platforms, ...signedIn, brand, visitorCookies, limits: pageLimits });
      await userSessionRoutes(api, { ...signedIn, platforms: platforms.platforms, visitorCookies, limits: pageLimits });
      shareRoutes(api, pageLimits);
      jobsRoutes(api, { ...jobs, connectors: connectors.connectors, subjects: audience.subjects, brand });
      ingestionRoutes(api, { intake, refusedAttributes, recent, rejectedEntries, brand });
      overviewRoutes(api, { overview });
      operatorRoutes(api, { ...operations, brand });
      audienceRoutes(api, {
        audience,
        segmentImpact: deliveries.segmentImpact,
        deleteAttribute: (organizationId, attribute) => jobs.rewrites.delete(organizationId, attribute),
        authentication,
        brand,
        findMe: findMyId,
        requireObject,
        noteIncomplete,
      });
      objectRoutes(api, { brand, handlers, findMe: findMyId, noteIncomplete });
    },
    { prefix: API },
  );
  await pageRoutes(app, API, {
    ...platforms,
    brand,
    authentication,
    readers,
    intake,
    refusedAttributes,
    subjects: audience.subjects,
    signIns: audience.signIns,
    limits: pageLimits,
  });
  await jobFileRoutes(app, API, jobs);
}
