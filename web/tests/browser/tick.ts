import type { Locator } from "playwright-core";

/** Ticks a box, or takes its tick away, and waits for it: React may set it a moment after the click. */
export async function tick(box: Locator, wanted = true): Promise<void> {
  if ((await box.isChecked()) !== wanted) await box.click();
  await box.and(box.page().locator(wanted ? ":checked" : ":not(:checked)")).waitFor();
}
