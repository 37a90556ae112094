/** Takes something away, once it was asked by its name: not at the first click, and not where that is called off. */
import type { Locator, Page } from "playwright-core";

export async function remove(page: Page, row: Locator, name: string): Promise<void> {
  const dialog = page.getByRole("dialog").filter({ hasText: `“${name}”?` });
  await row.getByRole("button", { name: "Remove" }).click();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
  await row.waitFor();
  await row.getByRole("button", { name: "Remove" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
}
