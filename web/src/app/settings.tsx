import { createContext, useContext } from "react";
import type { Language } from "../texts";

export type Theme = "system" | "light" | "dark";

export interface Settings {
  language: Language;
  theme: Theme;
  /** The theme that is shown. */
  dark: boolean;
  setLanguage: (language: Language) => void;
  setTheme: (theme: Theme) => void;
}

export const SettingsContext = createContext<Settings>({
  language: "en",
  theme: "system",
  dark: false,
  setLanguage: () => undefined,
  setTheme: () => undefined,
});

export const useSettings = (): Settings => useContext(SettingsContext);

/** What this browser remembers; nothing where it may not. */
export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`plimsoll.${name}`);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`plimsoll.${name}`, value);
  } catch {
    // A private window: the choice holds until it is closed.
  }
}

export function firstLanguage(): Language {
  const known = remembered("language");
  if (known === "en" || known === "zh") return known;
  return navigator.languages.some((name) => name.toLowerCase().startsWith("zh")) ? "zh" : "en";
}

export function firstTheme(): Theme {
  const known = remembered("theme");
  return known === "light" || known === "dark" ? known : "system";
}
