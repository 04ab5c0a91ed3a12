import { createBrand } from "@muster/protocol";
import Fastify, { type RouteOptions } from "fastify";
import type { App } from "../app-type.js";
import { describeApi } from "./openapi.js";

export type ReferenceFormat = "json" | "yaml";

/** What is sent to the thread that writes the document. */
export interface ReferenceOrder {
  format: ReferenceFormat;
  version: string;
  brandWord: string;
  /** The routes in the order of their registration, each as JSON. */
  routes: string[];
}

/** What the document shows of a route. */
export type DescribedRoute = Pick<RouteOptions, "method" | "url" | "schema" | "config">;

export interface ReferenceThreadCalls {
  write(order: ReferenceOrder): Promise<string>;
}

/** Writes the OpenAPI document of routes. It registers them in an application that nobody calls. */
export async function writeReference({ format, version, brandWord, routes }: ReferenceOrder): Promise<string> {
  const app = Fastify({ exposeHeadRoutes: false });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  // The types of the two applications differ in the schemas of routes, which are data here.
  await describeApi(app as unknown as App, { version, brand: createBrand(brandWord) });
  for (const route of routes) app.route({ ...(JSON.parse(route) as DescribedRoute), handler: () => {} });
  await app.ready();
  return format === "yaml" ? app.swagger({ yaml: true }) : JSON.stringify(app.swagger());
}
