import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

const DIST = new URL("../../dist/", import.meta.url);
const MOST = 1_000_000;

const read = (name: string): string => readFileSync(new URL(name, DIST), "utf8");

/** What the page loads at once: the files that index.html names, and what they import before they run. */
function firstFiles(): string[] {
  const named = [...read("index.html").matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name = ""]) => name);
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const [, other = ""] of read(name).matchAll(
      /(?:^|[;}])(?:import|export)(?:[^"'();]*?from)?["']\.\/([^"']+)["']/g,
    ))
      add(`assets/${other}`);
  };
  named.forEach(add);
  return [...found];
}

describe.skipIf(!existsSync(DIST))("what is built", () => {
  it("needs under 1 MB compressed before charts are shown", () => {
    const files = firstFiles();
    const bytes = files.reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
    expect(files.length).toBeGreaterThan(1);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(MOST);
  });
  it("keeps the charts apart", () => {
    const charts = readdirSync(new URL("assets/", DIST)).filter((name) => /^charts-.*\.js$/.test(name));
    expect(charts).toHaveLength(1);
    expect(firstFiles()).not.toContain(`assets/${charts[0]}`);
    expect(read(`assets/${charts[0]}`)).toContain("uplot");
  });
  it("asks nobody else for anything", () => {
    expect(read("index.html")).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });
});
