import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import { type LazyFile, lazyFile } from "./lazy-file.js";

type Part<Contents, Name extends keyof Contents> =
  Contents[Name] extends ComponentType<infer Props> ? LazyExoticComponent<ComponentType<Props>> : never;

/**
 * A component whose code is loaded when it is first drawn. A file that is loaded already is drawn at once: React would show
 * the fallback for a promise that is kept, and replaces a fallback after 300 ms at the earliest.
 * @example const HistoryTab = lazyPart(() => import("./history-tab.js"), "HistoryTab")
 */
export function lazyPart<Contents, Name extends keyof Contents>(
  source: LazyFile<Contents> | (() => Promise<Contents>),
  name: Name,
): Part<Contents, Name> {
  const file = typeof source === "function" ? lazyFile(source) : source;
  type Default = { default: ComponentType<unknown> };
  const partOf = (contents: Contents): Default => ({ default: contents[name] as ComponentType<unknown> });
  return lazy(() => {
    const contents = file.loaded();
    return contents ? atOnce(partOf(contents)) : file.load().then(partOf);
  }) as Part<Contents, Name>;
}

/** A promise that calls back before `then` returns, which React accepts as an answer without a wait. */
function atOnce<Value>(value: Value): Promise<Value> {
  const then = (tell: (value: Value) => void) => tell(value);
  return { then } as unknown as Promise<Value>;
}
