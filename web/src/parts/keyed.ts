/** Items with keys by their names; names that come twice are told apart by how often they came. */
export function keyed<T>(items: T[], name: (item: T) => string): { key: string; item: T }[] {
  const times = new Map<string, number>();
  return items.map((item) => {
    const of = name(item);
    const time = (times.get(of) ?? 0) + 1;
    times.set(of, time);
    return { key: `${of} ${time}`, item };
  });
}
