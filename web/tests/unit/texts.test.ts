import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { en } from "../../src/texts/en";
import { sayer } from "../../src/texts/fluent";
import { zh } from "../../src/texts/zh";

/** All texts with their paths; functions stand for what they say. */
function leaves(value: unknown, path = ""): [string, string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") return [[path, String((value as (...x: string[]) => string)("1", "2"))]];
  return Object.entries(value as object).flatMap(([name, inner]) => leaves(inner, `${path}.${name}`));
}

/** The words that docs/glossary.md has for no use, of one language. */
function forbidden(): [string, string][] {
  const page = readFileSync(new URL("../../../docs/glossary.md", import.meta.url), "utf8");
  const rows = page
    .slice(page.indexOf("## Words that are not written"))
    .matchAll(/^\| ([^|]+) \| [^|]+ \|([^|]*)\|$/gm);
  return [...rows].map(([, word = "", right = ""]): [string, string] => [word.trim(), right.trim()]).slice(2);
}

describe("texts", () => {
  it("has the same keys in both languages, none empty", () => {
    const [english, chinese] = [leaves(en), leaves(zh)];
    expect(chinese.map(([path]) => path)).toEqual(english.map(([path]) => path));
    expect([...english, ...chinese].filter(([, text]) => text.trim() === "")).toEqual([]);
  });
  it("writes the words of the glossary", () => {
    const words = forbidden();
    expect(words.length).toBeGreaterThan(30);
    for (const [path, text] of [...leaves(en), ...leaves(zh)]) {
      for (const [word, right] of words) {
        const rest = right
          .split(/[,，]\s*/)
          .filter(Boolean)
          .reduce((left, phrase) => left.replaceAll(phrase, ""), text);
        const plain = word.replace(/\*$/, "");
        const found = /[a-z]/i.test(plain)
          ? new RegExp(`\\b${plain}${word.endsWith("*") ? "" : "\\b"}`, "i").test(rest)
          : rest.includes(plain);
        expect(found, `${path}: “${text}” has “${word}”`).toBe(false);
      }
    }
  });
  it("says what reports say, from the same place", () => {
    const source = (name: string): string =>
      readFileSync(new URL(`../../../locales/zh/${name}.ftl`, import.meta.url), "utf8");
    const say = sayer("zh", [source("errors"), source("report")]);
    expect(say("report-throughput")).toBe("吞吐量");
    expect(say("report-verdict-failed-meaning", { goals: 3, missed: 1 })).toContain("3");
    expect(say("error-kind-read-timeout-meaning")).not.toBe("error-kind-read-timeout-meaning");
  });
});
