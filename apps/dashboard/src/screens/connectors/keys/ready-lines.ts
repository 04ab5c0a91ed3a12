/** What somebody pastes into a terminal to record a first event with a server key. */
export function firstCall(url: string, key: string): string {
  return `curl -u ${key}: ${url}/v1/track -d '{"userId":"ada","event":"Signed up"}'`;
}

/** What somebody pastes into the head of a page to use a page key: the snippet of the guide `docs/analytics-sdks.md`. */
export function pageSnippet(url: string, key: string): string {
  return `<script>
  var analytics = (window.analytics = window.analytics || []);
  ["identify", "track", "page", "group", "alias", "reset", "ready"].forEach(
    function (name) {
      analytics[name] = function () {
        analytics.push([name].concat([].slice.call(arguments)));
      };
    },
  );
  analytics._writeKey = "${key}";
  analytics.page();
</script>
<script async
  src="${url}/analytics.js/v1/${key}/analytics.min.js"></script>`;
}
