import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { HmacKey } from "./hmac-key.js";

const TEXTS = ["", "a", "header.payload", "é€🙂\ud800", "x".repeat(63), "y".repeat(1_024), "ü".repeat(20_000), "short"];

test.each(["", "secret", "k".repeat(63), "k".repeat(64), "k".repeat(65), "k".repeat(500), "schlüssel"])(
  "the secret %j signs as Node's own HMAC does, texts of any length in any order",
  (secret) => {
    const key = new HmacKey(secret);
    for (const text of [...TEXTS, ...TEXTS]) {
      expect(key.sign(text)).toBe(createHmac("sha256", secret).update(text).digest("base64url"));
    }
  },
);
