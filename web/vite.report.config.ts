import { defineConfig } from "vite";

/** The chart module as the HTML report has it: one script, built into crates/report/assets and kept there. */
export default defineConfig({
  plugins: [
    // The report has the library's styles in its own.
    {
      name: "no-styles",
      enforce: "pre",
      load: (id) => (id.split("?")[0]?.endsWith(".css") ? "" : null),
    },
  ],
  build: {
    target: "es2022",
    outDir: "../crates/report/assets",
    emptyOutDir: false,
    copyPublicDir: false,
    sourcemap: false,
    lib: { entry: "src/report/main.ts", formats: ["iife"], name: "plimsollReport", fileName: () => "report.js" },
  },
});
