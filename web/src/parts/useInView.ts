import { type RefObject, useEffect, useState } from "react";

/** Whether an element is near the window: what is not is not drawn. */
export function useInView(ref: RefObject<HTMLElement | null>): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const node = ref.current;
    if (!node) return;
    const watch = new IntersectionObserver((entries) => setSeen(entries[entries.length - 1]?.isIntersecting ?? false), {
      rootMargin: "300px",
    });
    watch.observe(node);
    return () => watch.disconnect();
  }, [ref]);
  return seen;
}

/** The width of an element as it changes. */
export function useWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const node = ref.current;
    if (!node) return;
    const watch = new ResizeObserver((entries) => setWidth(Math.floor(entries[0]?.contentRect.width ?? 0)));
    watch.observe(node);
    return () => watch.disconnect();
  }, [ref]);
  return width;
}
