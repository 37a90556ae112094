/** Each screen that browser tests look at stands in the documents, with a picture in each language. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SCREENS } from "../browser/screens";

const DOCS = new URL("../../../docs/", import.meta.url);

test.each(["", ".zh-CN"])("every screen has a picture%s", (language) => {
  const page = readFileSync(new URL(`screens${language}.md`, DOCS), "utf8");
  const missing = SCREENS.filter((screen) => !screen.hostile)
    .map((screen) => `images/screens/${screen.name}${language}.png`)
    .filter((path) => !page.includes(`(${path})`) || !existsSync(new URL(path, DOCS)));
  expect(missing).toEqual([]);
});
