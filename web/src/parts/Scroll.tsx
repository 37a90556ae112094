import type { ReactNode } from "react";

/** What may be wider than the window; it scrolls by the keyboard too. */
export function Scroll({ className = "", children }: { className?: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it, which needs the focus
    <div className={`scroll ${className}`.trim()} tabIndex={0}>
      {children}
    </div>
  );
}
