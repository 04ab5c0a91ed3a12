import fastJson from "fast-json-stringify";
import type { FastifySerializerCompiler } from "fastify/types/schema.js";
import { lazily } from "../../runtime/loops/lazily.js";

/**
 * Compiles the schemas of answers, each when the first answer needs it. All of them at the start took half a second of
 * processor time.
 */
export function createSerializerCompiler(): FastifySerializerCompiler<object> {
  return ({ schema }) => {
    const stringify = lazily(() => fastJson(schema));
    return (answer) => stringify()(answer);
  };
}
