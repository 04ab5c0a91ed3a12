import { expect, test } from "vitest";
import { createBrand } from "./brand.js";

test("the default brand is Svc", () => {
  const brand = createBrand();
  expect(brand.headers).toMatchObject({
    appId: "Svc-App-Id",
    accessToken: "Svc-Access-Token",
    organization: "Svc-Organization",
    userId: "Svc-User-Id",
  });
  expect(brand.claims.subjectType).toBe("io.svc.subjectType");
  expect(brand.busPrefix).toBe("svc.");
  expect(brand.queryPrefix).toBe("sjs_");
});

test("another brand changes every name and nothing else", () => {
  const neutral = JSON.stringify(createBrand("Svc"));
  const hull = JSON.stringify(createBrand("Hull"));
  expect(hull).toBe(neutral.replaceAll("Svc", "Hull").replaceAll("svc", "hull").replaceAll("sjs_", "hjs_"));
});

test.each(["", "S", "svc", "Svc-X", "Svc X", "Svc\r\n", "Ünder", `A${"a".repeat(21)}`])(
  "%j cannot be a brand",
  (word) => {
    expect(() => createBrand(word)).toThrow(/not usable/);
  },
);
