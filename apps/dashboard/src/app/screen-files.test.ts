import { expect, test } from "vitest";
import { CONNECTOR_TABS } from "../screens/connectors/connector-tabs.js";
import { SEGMENT_TABS } from "../screens/segments/segment-tabs.js";
import { SETTINGS_FILES } from "../screens/settings/settings-files.js";
import { CHART_FILE } from "../ui/charts/chart-file.js";
import { filesOf, SCREEN_FILES } from "./screen-files.js";

test.each([
  ["/o/1/users", [SCREEN_FILES["/users"]]],
  ["/o/1/users/2?tab=identity", [SCREEN_FILES["/users/$id"]]],
  ["/o/1/segments/overlap", [SCREEN_FILES["/segments/overlap"]]],
  ["/o/1/segments/2", [SCREEN_FILES["/segments/$id"], SEGMENT_TABS.build]],
  ["/o/1/segments/2?tab=uses", [SCREEN_FILES["/segments/$id"], SEGMENT_TABS.uses]],
  ["/o/1/insights", [SCREEN_FILES["/insights"], CHART_FILE]],
  ['/o/1/insights?q={"trend":{}}', [SCREEN_FILES["/insights"], CHART_FILE]],
  ['/o/1/insights?q={"funnel":{}}', [SCREEN_FILES["/insights"]]],
  ["/o/1/connectors/2", [SCREEN_FILES["/connectors/$id"], CONNECTOR_TABS.overview, CHART_FILE]],
  ["/o/1/connectors/2?tab=settings", [SCREEN_FILES["/connectors/$id"], CONNECTOR_TABS.settings]],
  ["/o/1/connectors/2?tab=constructor", [SCREEN_FILES["/connectors/$id"]]],
  ["/o/1/settings", [SCREEN_FILES["/settings"], SETTINGS_FILES.organization]],
  ["/o/1/constructor", []],
  ["/o/1/nothing/2/3", []],
  ["/sign-in", []],
])("%s needs its own files and those of the tab", (address, files) => {
  expect(filesOf(new URL(address, "http://localhost"))).toEqual(files);
});

test("the home needs its files with and without a slash at the end", () => {
  for (const address of ["/o/1", "/o/1/"]) {
    expect(filesOf(new URL(address, "http://localhost"))[0]).toBe(SCREEN_FILES["/"]);
  }
});
