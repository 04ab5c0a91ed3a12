import { lazyFile } from "../../ui/state/lazy-file.js";

/** The files of the settings, as the address names them. */
export const SETTINGS_FILES = {
  organization: lazyFile(() => import("./organization/organization-part.js")),
  members: lazyFile(() => import("./members/members-part.js")),
  account: lazyFile(() => import("./account/account-part.js")),
  credentials: lazyFile(() => import("./credentials/credentials-part.js")),
  purposes: lazyFile(() => import("./purposes/purposes-part.js")),
  apart: lazyFile(() => import("./apart/apart-part.js")),
  retention: lazyFile(() => import("./retention/retention-part.js")),
  health: lazyFile(() => import("./health/health-part.js")),
  audit: lazyFile(() => import("./audit/audit-part.js")),
  api: lazyFile(() => import("./api/api-part.js")),
};
