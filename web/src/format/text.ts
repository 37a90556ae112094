/** A name within a sentence: written from right to left, or with marks of its own, it turns no other words around. */
export function apart(name: string): string {
  return `\u2068${name}\u2069`;
}
