import { useEffect, useState } from "react";

/** A value once it has rested: of many steps one after the other only the last one is asked for. */
export function useSettled<T>(value: T, restMs = 150): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return settled;
}
