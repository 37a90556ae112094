import { useEffect } from "react";

/** Asks again and again while the page is looked at. */
export function useFollowed(again: () => void, ms: number): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) again();
    }, ms);
    return () => clearInterval(timer);
  }, [again, ms]);
}
