import { useEffect, useState } from "react";
import { address, get } from "./client";

/** What the server offers, by its own document: what it has not is not shown. */
export type Offers = ReadonlySet<string>;

let known: Promise<Offers> | null = null;

interface OpenApi {
  paths: Record<string, Record<string, unknown>>;
}

async function ask(): Promise<Offers> {
  const { paths } = await get<OpenApi>(address("/openapi.json"));
  const offers = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/^\/api\/v1/, "")}`),
  );
  return new Set(offers);
}

/** What the server offers; asked for once, and again where that failed. */
export function knownOffers(): Promise<Offers> {
  known ??= ask().catch((error: unknown) => {
    known = null;
    throw error;
  });
  return known;
}

/** Operations such as "DELETE /runs/{id}"; empty until they are known. */
export function useOffers(): Offers {
  const [offers, setOffers] = useState<Offers>(new Set());
  useEffect(() => {
    let current = true;
    knownOffers().then(
      (found) => {
        if (current) setOffers(found);
      },
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, []);
  return offers;
}
