import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const KEPT = new URL("../../../crates/report/assets/", import.meta.url);

describe("the report's script", () => {
  it("is what its source builds: else npm run report", { timeout: 60_000 }, async () => {
    const built = await build({
      root: ROOT,
      configFile: `${ROOT}/vite.report.config.ts`,
      logLevel: "error",
      build: { write: false },
    });
    const output = (Array.isArray(built) ? built : [built]).flatMap((one) => ("output" in one ? one.output : []));
    expect(output.map((file) => file.fileName)).toEqual(["report.js"]);
    const code = output.map((file) => (file.type === "chunk" ? file.code : "")).join("");
    expect(code).toBe(readFileSync(new URL("report.js", KEPT), "utf8"));
    // It stands in a page's script element.
    expect(code).not.toMatch(/<\/script|<!--/i);
    expect(code.length).toBeLessThan(70_000);
  });
  it("goes with the styles of the library that is in it", () => {
    const style = new URL("../../node_modules/uplot/dist/uPlot.min.css", import.meta.url);
    expect(readFileSync(new URL("uPlot.min.css", KEPT), "utf8").trim()).toBe(readFileSync(style, "utf8").trim());
  });
});
