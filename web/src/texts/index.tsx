import { createContext, useContext } from "react";
import { en, type Texts } from "./en";
import { type Say, sayer } from "./fluent";

export type Language = "en" | "zh";

export interface Words {
  language: Language;
  t: Texts;
  say: Say;
}

/** All words of a language; each language is a part of the build that loads when it is wanted. */
export async function loadWords(language: Language): Promise<Words> {
  if (language === "zh") {
    const [{ zh }, shared] = await Promise.all([import("./zh"), import("./shared-zh")]);
    return { language, t: zh, say: sayer("zh", shared.sources) };
  }
  const shared = await import("./shared-en");
  return { language, t: en, say: sayer("en", shared.sources) };
}

export const WordsContext = createContext<Words>({ language: "en", t: en, say: (id) => id });

export type { Say, Texts };

export const useWords = (): Words => useContext(WordsContext);
