// Stands for the old browser library (0.10): it makes the calls of that library, in their order and with their cookies,
// headers, forms and redirections. The library runs twice: in the page, and in a hidden frame at the server. The page asks
// the frame by messages.

/** In the frame: the server calls it with the configuration. */
function initRemote(config) {
  const headers = { "Hull-App-Id": config.appId };
  let ids = { "Hull-Bid": config.identify.browser, "Hull-Sid": config.identify.session };
  let user = config.data.me;
  if (user) headers["Hull-Access-Token"] = user.access_token;

  async function send(method, path, params) {
    const response = await fetch(`/api/v1/${path}`, {
      method,
      headers: {
        ...ids,
        ...headers,
        "Content-Type": "application/json",
        "X-Track-Url": config.location.url ?? "",
        "X-Track-Referer": config.location.referer ?? "",
      },
      ...(params ? { body: JSON.stringify(params) } : {}),
    });
    const text = await response.text();
    const kept = ["Hull-User-Id", "Hull-User-Sig"].flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    return { status: response.status, body: text === "" ? null : JSON.parse(text), headers: Object.fromEntries(kept) };
  }

  /** When an answer is about another user than the one that is known, the token is forgotten: the cookie must do. */
  async function message({ method, path, params }) {
    if (path === "logout") {
      user = undefined;
      ids = {};
      delete headers["Hull-Access-Token"];
      delete headers["Hull-User-Id"];
      return send(method, path, params);
    }
    const answer = await send(method, path, params);
    const id = answer.headers["Hull-User-Id"];
    if (id !== undefined) {
      headers["Hull-User-Id"] = id;
      if (user?.id !== id) delete headers["Hull-Access-Token"];
      else if (answer.body?.access_token) headers["Hull-Access-Token"] = answer.body.access_token;
    }
    return answer;
  }

  async function refresh() {
    // Requests of one moment go out last-first.
    const settings = send("GET", "app/settings");
    const me = await send("GET", "me");
    user = me.body || undefined;
    if (user?.access_token) headers["Hull-Access-Token"] = user.access_token;
    return { ...me, settings: (await settings).body };
  }

  const domains = config.appDomains.map((pattern) => new RegExp(pattern));
  window.addEventListener("message", async ({ data, origin, source }) => {
    if (source !== window.parent || !domains.some((domain) => domain.test(origin))) return;
    const answer = data.call === "refresh" ? await refresh() : await message(data);
    source.postMessage({ id: data.id, answer }, origin);
  });
  window.parent.postMessage({ ready: { data: config.data, identify: config.identify } }, "*");
}

/** In the page: reads the script tag, opens the frame, and offers the calls of the library. */
function startPage(script) {
  const { platformId, orgUrl, accessToken } = script.dataset;
  const waiting = new Map();
  const frame = document.createElement("iframe");
  const stored = JSON.parse(localStorage.getItem("hull_ids") ?? "{}");
  const query = new URLSearchParams({ v: "0.10.0", url: location.href, r: document.referrer, js: script.src });
  if (accessToken !== undefined) query.set("access_token", accessToken);
  if (stored.browser !== undefined) query.set("_bid", stored.browser);
  if (stored.session !== undefined) query.set("_sid", stored.session);
  frame.src = `${orgUrl}/api/v1/${platformId}/remote.html?${query}#xdm_p=1`;
  frame.style.display = "none";

  const ready = new Promise((resolve) => {
    window.addEventListener("message", ({ data, source }) => {
      if (source !== frame.contentWindow) return;
      if (data.ready) resolve(data.ready);
      else waiting.get(data.id)?.(data.answer);
    });
  });
  document.addEventListener("DOMContentLoaded", () => document.body.append(frame));

  /** Keeps the signed id of the user for the server of the website. An answer without one deletes it. */
  function setCookie(headers) {
    const isSigned = headers["Hull-User-Id"] !== undefined && headers["Hull-User-Sig"] !== undefined;
    const value = isSigned ? encodeURIComponent(btoa(JSON.stringify(headers))) : "";
    // biome-ignore lint/suspicious/noDocumentCookie: The old library writes it so.
    document.cookie = `hull_${platformId}=${value}; path=/${isSigned ? "" : "; max-age=0"}`;
  }

  async function ask(request) {
    await ready;
    const id = crypto.randomUUID();
    const answered = new Promise((resolve) => waiting.set(id, resolve));
    frame.contentWindow.postMessage({ id, ...request }, orgUrl);
    const answer = await answered;
    waiting.delete(id);
    setCookie(answer.headers);
    return answer;
  }

  const message = (method, path, params) => ask({ call: "message", method, path, params });
  const refreshUser = async () => (await ask({ call: "refresh" })).body;

  function postForm(action, fields) {
    const form = document.createElement("form");
    form.method = "post";
    form.action = action;
    for (const [name, value] of Object.entries(fields)) {
      const input = document.createElement("input");
      Object.assign(input, { type: "hidden", name, value });
      form.append(input);
    }
    document.body.append(form);
    form.submit();
  }

  window.Hull = {
    ready: ready.then(({ data, identify }) => {
      localStorage.setItem("hull_ids", JSON.stringify(identify));
      if (data.headers) setCookie(data.headers);
      return data;
    }),
    api: (path) => message("GET", path),
    track: (event, properties = {}) => message("POST", "t", { event, properties, url: location.href }),
    signup: (attributes) => message("POST", "users", attributes),
    resetPassword: (email) => message("POST", "users/request_password_reset", { email }),
    confirmEmail: (email) => message("POST", "users/request_confirmation_email", { email }),
    async login(options) {
      await message("POST", "users/login", { access_token: options.access_token });
      if (options.strategy !== "redirect") return refreshUser();
      return postForm(`${orgUrl}/api/v1/users/login`, { params: {}, redirect_url: location.href, ...options });
    },
    async logout({ strategy } = {}) {
      await message("GET", "logout");
      if (strategy !== "redirect") return refreshUser();
      const target = encodeURIComponent(location.href);
      location.href = `${orgUrl}/api/v1/logout?b=${Date.now()}&redirect_url=${target}`;
      return undefined;
    },
    share({ provider, params }) {
      const query = new URLSearchParams({ platform_id: platformId, ...params });
      window.open(`${orgUrl}/api/v1/intent/share/${provider}?${query}`, "hull_share", "width=550,height=420");
    },
  };
}

if (document.currentScript.id === "hull-js-sdk") startPage(document.currentScript);
else window.Hull = { initRemote };
