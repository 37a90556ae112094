/** Server-sent events: the browser connects anew by itself. */
export interface EventHearer {
  /** By the names of the events. */
  on: Record<string, (value: never) => void>;
  /** The connection stands, or it is lost. */
  connection: (up: boolean) => void;
}

/** Hears an address until it is told to stop; `end` ends it, too. */
export function hearEvents(url: string, hearer: EventHearer): () => void {
  const source = new EventSource(url);
  source.onopen = () => hearer.connection(true);
  source.onerror = () => hearer.connection(false);
  for (const [name, take] of Object.entries(hearer.on)) {
    source.addEventListener(name, (event) => {
      if (!(event instanceof MessageEvent)) return;
      if (name === "end") source.close();
      take(JSON.parse(String(event.data)) as never);
    });
  }
  return () => source.close();
}
