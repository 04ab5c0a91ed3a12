import superagent from "superagent";
import type { Context } from "../context/context.js";
import { type ErrorPluginOptions, errorPlugin } from "./error-plugin.js";
import { instrumentationPlugin } from "./instrumentation-plugin.js";
import { type TemplatedRequest, type TemplateVariables, urlTemplatePlugin } from "./url-template-plugin.js";

export interface HttpOptions extends ErrorPluginOptions {
  /** Default values for variables in addresses. */
  variables?: TemplateVariables;
}

/** Makes requests to a service. */
export type Http = Record<"get" | "post" | "put" | "patch" | "delete", (url: string) => TemplatedRequest>;

/**
 * Makes requests to a service, repeats them when the connection fails, and logs and counts them.
 *
 * @example
 * const http = createHttp(ctx, { variables: { account: "7" } });
 * const { body } = await http.get("https://api.example.com/{{account}}/contacts/{{id}}").tmplVar({ id });
 */
export function createHttp({ client, metric }: Pick<Context, "client" | "metric">, options: HttpOptions = {}): Http {
  const { variables, ...errors } = options;
  const request = (method: string) => (url: string) =>
    // The template plugin adds the methods that the type has.
    superagent(method, url)
      .use(urlTemplatePlugin(variables))
      .use(instrumentationPlugin({ logger: client.logger, metric }))
      .use(errorPlugin(errors)) as TemplatedRequest;
  return {
    get: request("GET"),
    post: request("POST"),
    put: request("PUT"),
    patch: request("PATCH"),
    delete: request("DELETE"),
  };
}
