import { describe, expect, test } from "vitest";
import { findPlatformGaps, type Lock } from "./find-platform-gaps.js";

const linuxX64 = { version: "2.0.0", integrity: "sha512-x64", os: ["linux"], cpu: ["x64"] };
const linuxArm64 = { version: "2.0.0", integrity: "sha512-arm64", os: ["linux"], cpu: ["arm64"] };
const darwinArm64 = { version: "2.0.0", integrity: "sha512-mac", os: ["darwin"], cpu: ["arm64"] };
const fast = {
  version: "2.0.0",
  integrity: "sha512-fast",
  optionalDependencies: { "@fast/linux-x64": "2.0.0", "@fast/linux-arm64-gnu": "2.0.0", "@fast/darwin-arm64": "2.0.0" },
};

describe("a package with parts per platform", () => {
  test("has no gap with both linux processors", () => {
    const packages = {
      "": { version: "0.1.0" },
      "node_modules/fast": fast,
      "node_modules/@fast/linux-x64": linuxX64,
      "node_modules/@fast/linux-arm64-gnu": { ...linuxArm64, libc: ["glibc"] },
      "node_modules/@fast/darwin-arm64": darwinArm64,
    };
    expect(findPlatformGaps({ packages })).toEqual({ checked: 1, gaps: [] });
  });

  test.each<{ missing: string } & Lock>([
    { missing: "linux-arm64", packages: { "node_modules/@fast/linux-x64": linuxX64 } },
    { missing: "linux-x64", packages: { "node_modules/@fast/linux-arm64-gnu": linuxArm64 } },
  ])("has a gap without $missing", ({ missing, packages }) => {
    expect(findPlatformGaps({ packages: { "node_modules/fast": fast, ...packages } })).toEqual({
      checked: 1,
      gaps: [`fast@2.0.0 has no package for ${missing}.`],
    });
  });

  test("has a gap where a linux package has no integrity", () => {
    const { integrity: _, ...unpublished } = linuxArm64;
    const packages = {
      "node_modules/fast": fast,
      "node_modules/@fast/linux-x64": linuxX64,
      "node_modules/@fast/linux-arm64-gnu": unpublished,
    };
    expect(findPlatformGaps({ packages }).gaps).toEqual([
      "@fast/linux-arm64-gnu@2.0.0 has no integrity: the registry did not have it when the lock was written.",
    ]);
  });

  test("may lack the integrity of a platform that is not supported", () => {
    const packages = {
      "node_modules/fast": fast,
      "node_modules/@fast/linux-x64": linuxX64,
      "node_modules/@fast/linux-arm64-gnu": linuxArm64,
      "node_modules/@fast/win32-x64": { version: "2.0.0", os: ["win32"], cpu: ["x64"] },
      "node_modules/@fast/linux-x64-musl": { version: "2.0.0", os: ["linux"], cpu: ["x64"], libc: ["musl"] },
      "node_modules/@fast/linux-ppc64": { version: "2.0.0", os: ["linux"], cpu: ["ppc64"] },
    };
    expect(findPlatformGaps({ packages }).gaps).toEqual([]);
  });

  test("is not covered by a package for musl", () => {
    const packages = {
      "node_modules/fast": fast,
      "node_modules/@fast/linux-x64": { ...linuxX64, libc: ["glibc"] },
      "node_modules/@fast/linux-arm64-gnu": { ...linuxArm64, libc: ["musl"] },
    };
    expect(findPlatformGaps({ packages }).gaps).toEqual(["fast@2.0.0 has no package for linux-arm64."]);
  });

  test("is not covered by another package that runs on both processors", () => {
    const packages = {
      "node_modules/fast": { version: "2.0.0", optionalDependencies: { "@fast/linux-x64": "2.0.0", sockets: "1.0.0" } },
      "node_modules/@fast/linux-x64": linuxX64,
      "node_modules/sockets": { version: "1.0.0", integrity: "sha512-sockets", os: ["!win32"] },
    };
    expect(findPlatformGaps({ packages }).gaps).toEqual(["fast@2.0.0 has no package for linux-arm64."]);
  });

  test("is covered by one package for both processors", () => {
    const packages = {
      "node_modules/fast": { version: "2.0.0", optionalDependencies: { "fast-native": "2.0.0" } },
      "node_modules/fast-native": { ...linuxX64, os: ["!win32"], cpu: ["x64", "arm64"] },
    };
    expect(findPlatformGaps({ packages })).toEqual({ checked: 1, gaps: [] });
  });

  test("is covered by the packages nearest to it, wherever they are", () => {
    const { "@fast/linux-x64": _, ...others } = fast.optionalDependencies;
    const packages = {
      "apps/server": { version: "0.1.0", optionalDependencies: fast.optionalDependencies },
      "apps/server/node_modules/@fast/linux-x64": linuxX64,
      "node_modules/@fast/linux-arm64-gnu": linuxArm64,
      "node_modules/old/node_modules/fast": { version: "1.0.0", optionalDependencies: others },
    };
    expect(findPlatformGaps({ packages })).toEqual({
      checked: 2,
      gaps: ["fast@1.0.0 has no package for linux-x64."],
    });
  });
});

test("a package for all of Linux has a gap without integrity", () => {
  const packages = { "node_modules/sockets": { version: "1.0.0", os: ["linux"] } };
  expect(findPlatformGaps({ packages }).gaps).toEqual([
    "sockets@1.0.0 has no integrity: the registry did not have it when the lock was written.",
  ]);
});

test.each([
  {
    what: "for musl alone",
    named: "fast-musl",
    entry: { version: "1.0.0", os: ["linux"], cpu: ["x64"], libc: ["musl"] },
  },
  { what: "for macOS alone", named: "fsevents", entry: { version: "1.0.0", os: ["darwin"] } },
  { what: "for every platform", named: "bull", entry: { version: "1.0.0", integrity: "sha512-bull" } },
  { what: "for WebAssembly", named: "fast-wasm", entry: { version: "1.0.0", cpu: ["wasm32"] } },
])("an optional dependency $what is ignored", ({ named, entry }) => {
  const packages = {
    "": { version: "0.1.0" },
    "node_modules/user": { version: "1.0.0", integrity: "sha512-user", optionalDependencies: { [named]: "1.0.0" } },
    [`node_modules/${named}`]: entry,
  };
  expect(findPlatformGaps({ packages })).toEqual({ checked: 0, gaps: [] });
});
