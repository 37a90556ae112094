/** A text as it is; a long one scrolls, by the keyboard too. */
export function Pre({ text, className = "code" }: { text: string; className?: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it, which needs the focus
    <pre className={className} tabIndex={0}>
      {text}
    </pre>
  );
}
