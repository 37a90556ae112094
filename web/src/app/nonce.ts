/** The page's nonce: only styles that bear it are taken (Content-Security-Policy). */
export const NONCE = document.querySelector('meta[name="csp-nonce"]')?.getAttribute("content") ?? "";

/** Not every library hands the nonce on to all styles that it makes while it runs: each style gets it here. */
export function markStyles(): void {
  const plain = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions): HTMLElement => {
    const made = plain(name, options);
    if (made instanceof HTMLStyleElement) made.nonce = NONCE;
    return made;
  };
}
