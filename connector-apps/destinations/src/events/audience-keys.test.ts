import { expect, test } from "vitest";
import { audienceKeys } from "./audience-keys.js";

test("a segment's key is its name in letters, digits and underscores", () => {
  const names = ["VIP customers", "Größte Käufer!", "  _Trial 14 days_ "];
  const segments = names.map((name, index) => ({ id: `segment-${index}`, name }));
  expect([...audienceKeys(segments).values()]).toEqual(["vip_customers", "gro_te_kaufer", "trial_14_days"]);
});

test("no two segments have one key, and the oldest keeps it when another one is made", () => {
  const older = { id: "01a1f154b540100eebde1f44", name: "VIP" };
  const newer = { id: "01a1f15999990000abcdef01", name: "VIP!" };
  expect(audienceKeys([older])).toEqual(new Map([[older.id, "vip"]]));
  for (const segments of [
    [older, newer],
    [newer, older],
  ]) {
    const keys = audienceKeys(segments);
    expect([keys.get(older.id), keys.get(newer.id)]).toEqual(["vip", "vip_cdef01"]);
  }
});

test("names without a Latin letter have keys too", () => {
  const keys = audienceKeys([
    { id: "01a1f154b540100eebde1f44", name: "日本" },
    { id: "01a1f15999990000abcdef01", name: "中国" },
  ]);
  expect([...keys.values()]).toEqual(["audience_de1f44", "audience_cdef01"]);
});
