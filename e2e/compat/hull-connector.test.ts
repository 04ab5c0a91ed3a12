// @module-tag long
import { afterAll, beforeAll, describe } from "vitest";
import { testApi } from "./parts/api.js";
import { testExtracts } from "./parts/extracts.js";
import { testIdentity } from "./parts/identity.js";
import { testMoving } from "./parts/moving.js";
import { testNotifications } from "./parts/notifications.js";
import { testOldBrowserLibrary } from "./parts/old-browser-library.js";
import { testPages } from "./parts/pages.js";
import { testSegmentFilters } from "./parts/segment-filters.js";
import { testSettings } from "./parts/settings.js";
import { testStatus } from "./parts/status.js";
import { testWriting } from "./parts/writing.js";
import { PublishedPlatform } from "./support/published-platform.js";

// The library has hundreds of dependencies. It is installed once, so all of its tests are in one file.
let platform: PublishedPlatform;

beforeAll(async () => {
  platform = await PublishedPlatform.open();
}, 300_000);
afterAll(() => platform?.close());

const parts = {
  notifications: testNotifications,
  "segment filters": testSegmentFilters,
  settings: testSettings,
  status: testStatus,
  extracts: testExtracts,
  writing: testWriting,
  identity: testIdentity,
  "the API": testApi,
  pages: testPages,
  "the old browser library": testOldBrowserLibrary,
  "moving data": testMoving,
};
// Each test has an organization of its own, so the tests of a part need not wait for one another.
for (const [name, part] of Object.entries(parts)) {
  describe.concurrent(name, () => part(() => platform));
}
