interface Cookie {
  value: string;
  endsAt: number;
}

/** A document with cookies that end. `now` is in milliseconds. */
export function fakeDocument(now: () => number, { hasCookies = true } = {}): Document {
  const cookies = new Map<string, Cookie>();
  const fake = {
    location: new URL("https://shop.test/"),
    get cookie() {
      const living = [...cookies].filter(([, { endsAt }]) => endsAt > now());
      return living.map(([name, { value }]) => `${name}=${value}`).join("; ");
    },
    set cookie(text: string) {
      const [name, value] = (text.split(";")[0] ?? "").split("=");
      const seconds = Number(/max-age=(\d+)/.exec(text)?.[1]);
      if (hasCookies && name !== undefined) {
        cookies.set(name, { value: value ?? "", endsAt: now() + seconds * 1_000 });
      }
    },
  };
  // The modules under test use the cookies and the address only.
  return fake as unknown as Document;
}
